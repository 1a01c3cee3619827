package transfer

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"winnow/session/store"
)

// fingerprint stands for a conversation that has no name in its file: what it says, and the times that the file gives.
// Two conversations with the same words at other times are two.
func fingerprint(c store.Conversation) string {
	hash := sha256.New()
	enc := json.NewEncoder(hash) // of texts and numbers, which always encode
	_ = enc.Encode(c.Session.System)
	for _, m := range c.Messages {
		_ = enc.Encode([]any{m.Role, m.Content, m.Label, m.CreatedMS, m.ToolCallID, m.Reasoning, m.ToolCalls, m.Parts})
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:16])
}
