package strict

import (
	"encoding/base64"
	"slices"
	"strings"
)

// speaks says that a content holds something beside white space.
func (c content) speaks() bool {
	for _, p := range c.parts {
		if p.kind != "text" || p.text != nil && strings.TrimSpace(*p.text) != "" {
			return true
		}
	}
	return strings.TrimSpace(c.text) != ""
}

// contentThere: a message has a content that is not null. Calls excuse an assistant's message from
// it where excused says so.
func contentThere(excused bool) finder {
	return func(c *chat, _ Profile) *fault {
		for i, m := range c.messages {
			if !m.content.there && !(excused && m.role == "assistant") {
				return wrong(i)
			}
		}
		return nil
	}
}

// contentSpeaks: a message of one of the roles says something; a call says something too.
func contentSpeaks(roles ...string) finder {
	return func(c *chat, _ Profile) *fault {
		for i, m := range c.messages {
			if slices.Contains(roles, m.role) && !m.content.speaks() && len(m.calls) == 0 {
				return wrong(i)
			}
		}
		return nil
	}
}

// partsWhole: a text part has its text, which is not blank where blank says so.
func partsWhole(blank bool) finder {
	return func(c *chat, _ Profile) *fault {
		for i, m := range c.messages {
			for k, p := range m.content.parts {
				if p.kind == "text" && (p.text == nil || blank && strings.TrimSpace(*p.text) == "") && m.content.speaks() {
					return wrong(i, "part", number(k))
				}
			}
		}
		return nil
	}
}

// imagesWhole: an image is a link, or data of a kind of image.
func imagesWhole(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		for k, p := range m.content.parts {
			if p.kind == "image_url" && !isImage(p.url) {
				kind, _, _ := strings.Cut(strings.TrimPrefix(p.url, "data:"), ";")
				return wrong(i, "part", number(k), "kind", kind)
			}
		}
	}
	return nil
}

func isImage(url string) bool {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return true
	}
	data, ok := strings.CutPrefix(url, "data:")
	kind, data, found := strings.Cut(data, ";base64,")
	if !ok || !found || !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) {
		return false
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	return err == nil && len(raw) > 0
}

// imagesOfUser: only the user shows images.
func imagesOfUser(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		for _, p := range m.content.parts {
			if p.kind == "image_url" && m.role != "user" {
				return wrong(i, "role", m.role)
			}
		}
	}
	return nil
}

// textsOnly: a message holds texts and nothing else.
func textsOnly(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		for _, p := range m.content.parts {
			if p.kind != "text" {
				return wrong(i, "kind", p.kind)
			}
		}
	}
	return nil
}

// reasoningBack: the reasoning in front of a call comes back with it.
func reasoningBack(c *chat, p Profile) *fault {
	for i, m := range c.messages {
		if p.Thinking && len(m.calls) > 0 && !m.there("reasoning_content") {
			return wrong(i)
		}
	}
	return nil
}

// llamaAnswer: an assistant's message has a content or calls; the content may be blank.
func llamaAnswer(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		if m.role == "assistant" && !m.content.there && len(m.calls) == 0 {
			return wrong(i)
		}
	}
	return nil
}
