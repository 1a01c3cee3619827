package strict

import (
	"fmt"
	"slices"
	"strings"
)

// known are the keys that a server knows, apart by spaces: those of a request, of a message by its
// role, of a call, and of a part of a content.
type known struct {
	request  string
	messages map[string]string
	call     string
	part     string
}

// keysKnown: nothing is sent that the server does not know.
func keysKnown(k known) finder {
	return func(c *chat, _ Profile) *fault {
		if key := c.unknown(k.request); key != "" {
			return wrong(-1, "path", key, "key", key)
		}
		for i, m := range c.messages {
			path := fmt.Sprintf("messages[%d].", i)
			if keys, ok := k.messages[m.role]; ok {
				if key := m.unknown(keys); key != "" {
					return wrong(i, "path", path+key, "key", key)
				}
			}
			for n, part := range m.content.parts {
				if key := part.unknown(k.part); key != "" {
					return wrong(i, "path", fmt.Sprintf("%scontent[%d].%s", path, n, key), "key", key)
				}
			}
			for n, call := range m.calls {
				path := fmt.Sprintf("%stool_calls[%d].", path, n)
				if key := call.unknown(k.call); key != "" {
					return wrong(i, "path", path+key, "key", key)
				}
				if key := call.function.unknown("name arguments"); key != "" {
					return wrong(i, "path", path+"function."+key, "key", key)
				}
			}
		}
		return nil
	}
}

// unknown is the first key of an object that is not among the known ones, "" for none.
func (o object) unknown(keys string) string {
	list := strings.Fields(keys)
	for _, m := range o {
		if !slices.Contains(list, m.key) {
			return m.key
		}
	}
	return ""
}
