package guide

import (
	"fmt"
	"strings"
)

// longBytes is the least size of the long answer.
const longBytes = 20 << 10

// longAnswer is a Markdown text with everything that is hard to lay out: nested lists, tables wider
// than a screen, code in several languages, quotations, long lines and long words.
func longAnswer() string {
	var b strings.Builder
	b.WriteString(Signature + " Here is a long text, to see how winnow shows one.\n")
	for n := 1; b.Len() < longBytes; n++ {
		fmt.Fprintf(&b, longChapter, n, n*7, n%5+1, n*64, n*n)
	}
	b.WriteString("\nThe end.\n")
	return b.String()
}

const longChapter = `
## Chapter %[1]d

A paragraph with **bold**, *italic*, ` + "`code`" + ` and a [link](https://example.com/chapter/%[1]d). It is long enough to be wrapped on any screen, because a line that fits says nothing about how lines are broken, and it ends with a word_that_is_too_long_to_fit_into_a_narrow_pane_and_must_be_broken_somewhere_%[1]d.

1. First of %[2]d points
   - with a nested point
     - and one below that, *level %[3]d*
2. Second, with ` + "`inline code that goes on for a while`" + `
3. Third
   > a quotation inside a list
   > of two lines

| step | what happens | tokens | note |
|-----:|--------------|-------:|------|
| %[1]d | the history is read | %[4]d | nothing is cut while everything fits |
| %[5]d | the request is sent | %[2]d | a table may well be wider than the screen it is shown on |

` + "```go" + `
// chapter%[1]d counts what is left of the budget.
func chapter%[1]d(messages []string, budget int) (kept []string) {
	for i := len(messages) - 1; i >= 0 && budget > 0; i-- {
		budget -= len(messages[i]) / %[3]d
		kept = append(kept, messages[i])	// a tab in the line
	}
	return kept
}
` + "```" + `

` + "```sh" + `
winnow run "summarise chapter %[1]d" --json | jq -r '.text' | tee "/tmp/chapter-%[1]d.txt" # a line of code is never wrapped between words, so that it can be copied as it is
` + "```" + `

> A quotation, with a rule below it.

---
`

// escapesAnswer holds what a hostile answer would send to a terminal. winnow shows it as text.
const escapesAnswer = Signature + ` None of the following may reach your terminal:

- a window title: ` + "\x1b]0;changed by the guide\x07" + `
- the clipboard (OSC 52): ` + "\x1b]52;c;Y2hhbmdlZCBieSB0aGUgZ3VpZGU=\x07" + `
- a cleared screen: ` + "\x1b[2J\x1b[H" + `
- colours and a hidden line: ` + "\x1b[31mred \x1b[8mhidden\x1b[0m" + `
- a link (OSC 8): ` + "\x1b]8;;https://example.com\x1b\\not where it seems\x1b]8;;\x1b\\" + `
- a device control string: ` + "\x1bP+q544e\x1b\\" + `
- the same with C1 controls: ` + "\u009b2J \u009d0;changed by the guide\u009c \u0090+q544e\u009c" + `
- an overwritten line: ` + "innocent\rmalicious\b\b\b" + `
- bell, null and delete: ` + "\x07 \x00 \x7f" + `
- the reversed name of a file: ` + "harmless\u202egnp.exe\u202c" + `

` + "```\n\x1b[2Jin a code block as well\n```\n"

// unicodeAnswer holds text whose width, direction or number of characters is easily taken wrongly.
const unicodeAnswer = Signature + ` Text that is easily laid out wrongly:

| kind | text |
|------|------|
| Chinese | 模型看到的内容由预算决定。 |
| Japanese | モデルに何が見えるかを示します。 |
| Korean | 모델이 무엇을 보는지 보여 줍니다. |
| Arabic | ما يراه النموذج |
| Hebrew | מה שהמודל רואה |
| mixed direction | the word שלום and the number 123 |
| Thai | แบบจำลองเห็นอะไร |
| Hindi | मॉडल क्या देखता है |
| full width | ｗｉｎｎｏｗ |
| combining | e` + "\u0301 a\u0308 o\u0302\u0323" + ` |
| emoji | 🙂 👍🏽 🇩🇪 ❤️ 1️⃣ |
| joined emoji | 👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 |
| zero width | zero` + "\u200bwidth\u200djoin\ufeffmark" + ` |
| ambiguous width | ± § · … — ① |
| many marks | Z` + "\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324" + `algo |
`
