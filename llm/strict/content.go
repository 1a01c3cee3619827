package strict

import (
	"encoding/base64"
	"slices"
	"strings"
)

// eachPart: what is asked of a part of a content holds for all of them.
func eachPart(sound func(message, part) bool) finder {
	return func(c *chat, _ Profile) *fault {
		for i, m := range c.messages {
			for k, p := range m.content.parts {
				if !sound(m, p) {
					media, _, _ := strings.Cut(strings.TrimPrefix(p.url, "data:"), ";")
					return wrong(i, "part", number(k), "kind", p.kind, "media", media, "role", m.role)
				}
			}
		}
		return nil
	}
}

// speaks says that a content holds something beside white space.
func (c content) speaks() bool {
	for _, p := range c.parts {
		if p.kind != "text" || p.text != nil && strings.TrimSpace(*p.text) != "" {
			return true
		}
	}
	return strings.TrimSpace(c.text) != ""
}

// contentThere: a message has a content that is not null. An assistant's message is excused from it where
// excused says so.
func contentThere(excused bool) finder {
	return eachMessage(func(_ int, m message) bool { return m.content.there || excused && m.role == "assistant" })
}

// contentSpeaks: a message of one of the roles says something; a call says something too.
func contentSpeaks(roles ...string) finder {
	return eachMessage(func(_ int, m message) bool {
		return !slices.Contains(roles, m.role) || m.content.speaks() || len(m.calls) > 0
	})
}

// partsWhole: a text part has its text, which is not blank where blank says so.
func partsWhole(blank bool) finder {
	return eachPart(func(m message, p part) bool {
		return p.kind != "text" || !m.content.speaks() || p.text != nil && !(blank && strings.TrimSpace(*p.text) == "")
	})
}

// imagesWhole: an image is a link, or data of a kind of image.
var imagesWhole = eachPart(func(_ message, p part) bool { return p.kind != "image_url" || isImage(p.url) })

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
var imagesOfUser = eachPart(func(m message, p part) bool { return p.kind != "image_url" || m.role == "user" })

// textsOnly: a message holds texts and nothing else.
var textsOnly = eachPart(func(_ message, p part) bool { return p.kind == "text" })

// reasoningReturned: the reasoning in front of a call is returned with it.
func reasoningReturned(c *chat, p Profile) *fault {
	if !p.Thinking {
		return nil
	}
	return eachMessage(func(_ int, m message) bool { return len(m.calls) == 0 || m.there("reasoning_content") })(c, p)
}

// llamaAnswer: an assistant's message has a content or calls; the content may be blank.
var llamaAnswer = eachMessage(func(_ int, m message) bool {
	return m.role != "assistant" || m.content.there || len(m.calls) > 0
})
