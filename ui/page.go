package ui

import "fmt"

// page is a text on its way to a sheet.
type page []passage

func (p *page) add(t tone, text string) {
	if text != "" {
		*p = append(*p, passage{t, text})
	}
}

// line adds a line; a text of others is made safe by the sheet.
func (p *page) line(t tone, format string, args ...any) {
	p.add(t, fmt.Sprintf(format, args...)+"\n")
}

// title adds a line with a blank one above.
func (p *page) title(text string) {
	if len(*p) > 0 {
		p.add(quietTone, "\n")
	}
	p.add(titleTone, text+"\n")
}

// heading is a title inside a text.
func (p *page) heading(format string, args ...any) { p.title("── " + fmt.Sprintf(format, args...)) }

// block adds a text that ends with its line.
func (p *page) block(t tone, text string) {
	if text != "" {
		p.add(t, text)
		p.add(quietTone, "\n")
	}
}
