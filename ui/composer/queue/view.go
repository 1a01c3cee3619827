package queue

import (
	"path/filepath"
	"strings"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostLines is how many lines the queue takes above the draft.
const mostLines = 3

// Label is a queued message on one line. Its files are named in front.
func Label(m store.Queued) string {
	var words []string
	for _, p := range m.Parts {
		words = append(words, "["+filepath.Base(p.Name)+"]")
	}
	if m.Alone {
		words = append(words, "(alone)")
	}
	return markdown.OneLine(strings.Join(append(words, m.Text), " "), 400)
}

// View draws the queue above the draft, in lines of w cells: the messages in the order in which they are sent, and
// behind the last line that there is room for how many more there are. Empty says that the draft is empty: a queue
// that is paused goes on with enter then.
func (q *Model) View(st theme.Styles, k keymap.Map, empty bool, w, most int) []string {
	n := len(q.items)
	if n == 0 || most <= 0 {
		return nil
	}
	shown := min(n, mostLines, most)
	if shown < n && shown > 1 {
		shown--
	}
	back := k.First(keymap.Older)
	if back == "up" {
		back = "↑"
	}
	way := back + " takes it back"
	if n > 1 {
		way = back + " takes the last one back"
	}
	if q.held {
		way = ""
		switch {
		case !empty:
		case n > 1:
			way = k.First(keymap.Send) + " sends the first"
		default:
			way = k.First(keymap.Send) + " sends it"
		}
	}
	var lines []string
	for i, it := range q.items[:shown] {
		head := "queued  "
		switch {
		case it.number == q.sending:
			head = "sending "
		case q.held:
			head = "waits   "
		}
		right := ""
		if i == 0 && w >= 60 {
			right = way
		}
		text := markdown.OneLine(Label(it.Queued), max(1, w-2-len(head)-theme.Width(right)-2))
		lines = append(lines, theme.Spread(st.You.Render("▌ ")+st.Muted.Render(head)+text, st.Muted.Render(right), w))
	}
	if more := n - shown; more > 0 {
		lines = append(lines, theme.Fit(st.You.Render("▌ ")+st.Muted.Render("and "+theme.Thousands(more)+
			" more"), w))
	}
	return lines[:min(len(lines), most)]
}
