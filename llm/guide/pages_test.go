package guide

import (
	"strings"
	"testing"
)

func TestPicturesOfTheScreenAreNotQuoted(t *testing.T) {
	parts := sections("seeing.md", "# Seeing\n\nBefore.\n<!-- screen one: made by go test -->\n\n```text\n# winnow │ small\n```\n\n<!-- end of screen one -->\nAfter.\n")
	if len(parts) != 1 || strings.Contains(parts[0].text, "winnow") || !strings.Contains(parts[0].text, "Before.") || !strings.Contains(parts[0].text, "After.") {
		t.Errorf("the page's parts are %+v, want one without the picture", parts)
	}
}
