package store

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unicode/utf8"

	"winnow/session/store/verdicts"
)

// Line is one row of the history as an archive and a segment have it: exactly one of its fields is set. A Session comes
// before the rows that belong to it, a message behind the one that it follows and behind its attachments, a request
// behind the messages that it names. Times are Unix milliseconds; ids are the same on every machine, and 0 is none.
//
// Apply writes lines: into another history, of another machine too, and as often as anybody likes.
type Line struct {
	Session    *SessionLine    `json:"session,omitempty"`
	Request    *RequestLine    `json:"request,omitempty"`
	Attachment *AttachmentLine `json:"attachment,omitempty"`
	Message    *MessageLine    `json:"message,omitempty"`
	Repair     *RepairLine     `json:"repair,omitempty"`
	Summary    *SummaryLine    `json:"summary,omitempty"`
	Register   *RegisterLine   `json:"register,omitempty"`
	Tombstone  *TombstoneLine  `json:"tombstone,omitempty"`
}

// A field with the tag secret is a text, or JSON, that may hold a secret.

// copied is the line with a row of its own, which it returns, too.
func (l Line) copied() (out Line, row reflect.Value) {
	from, to := reflect.ValueOf(l), reflect.ValueOf(&out).Elem()
	for i := range from.NumField() {
		if of := from.Field(i); !of.IsNil() {
			row = reflect.New(of.Type().Elem())
			row.Elem().Set(of.Elem())
			to.Field(i).Set(row)
		}
	}
	return out, reflect.Indirect(row)
}

// Text is what a person, a model or a tool gave, byte for byte. In JSON it is a string, and an object
// {"base64": "…"} where it is not valid UTF-8.
type Text string

// MarshalJSON writes the text.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return marshal(string(t))
	}
	return json.Marshal(encoded{[]byte(t)})
}

// UnmarshalJSON reads the text.
func (t *Text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var e encoded
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		*t = Text(e.Base64)
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// marshal is json.Marshal without escaping for HTML.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// encoded is a text that JSON has no string for.
type encoded struct {
	Base64 []byte `json:"base64"`
}

// SessionLine is a session's row, with its tags, its unsent draft and its queued messages.
type SessionLine struct {
	ID        string     `json:"id"`
	Title     Text       `json:"title,omitempty" secret:"text"`
	TitleFrom string     `json:"title_from,omitempty"` // auto or user
	Created   int64      `json:"created_ms"`
	Updated   int64      `json:"updated_ms"`
	Used      int64      `json:"used"`                // the order of last use
	Parent    string     `json:"parent,omitempty"`    // the session it was forked from
	ForkedAt  int64      `json:"forked_at,omitempty"` // the message of the parent that it was forked at
	Pinned    bool       `json:"pinned,omitempty"`
	Archived  bool       `json:"archived,omitempty"`
	Deleted   int64      `json:"deleted_ms,omitempty"` // when it went to the trash
	Endpoint  Text       `json:"endpoint,omitempty"`
	Model     Text       `json:"model,omitempty"`
	Preset    Text       `json:"preset,omitempty"`
	Dir       Text       `json:"dir,omitempty"`
	Overrides Text       `json:"overrides,omitempty"` // TOML
	System    Text       `json:"system,omitempty" secret:"text"`
	Fixed     bool       `json:"system_fixed,omitempty"` // system is the session's own even if it is empty
	Source    Text       `json:"source,omitempty"`       // the program it was imported from
	Origin    Text       `json:"origin,omitempty"`       // its id there
	Tags      []Text     `json:"tags,omitempty" db:"-"`
	Draft     *DraftLine `json:"draft,omitempty" db:"-"`

	Queued []QueuedLine `json:"queued,omitempty" db:"-"` // in the order in which they are sent
}

// DraftLine is what stands unsent in the composer.
type DraftLine struct {
	Updated int64 `json:"updated_ms"`
	Text    Text  `json:"text" db:",blob" secret:"text"`
	Files   Text  `json:"files,omitempty"`                          // a JSON array of paths
	Parts   Text  `json:"parts,omitempty" db:",blob" secret:"json"` // the files without a path: a JSON array
}

// QueuedLine is a message that waits until the answer before it is there.
type QueuedLine struct {
	Created int64 `json:"created_ms"`
	Text    Text  `json:"text" db:",blob" secret:"text"`            // as it is sent
	Parts   Text  `json:"parts,omitempty" db:",blob" secret:"json"` // the files that are sent with it: a JSON array, their bytes in base64
	Draft   Text  `json:"draft" db:",blob" secret:"text"`           // as it was in the composer
	Folds   Text  `json:"folds,omitempty" db:",blob"`               // what of the draft was folded: a JSON array
	Alone   bool  `json:"alone,omitempty"`                          // it is sent without the conversation before it
	Cut     bool  `json:"cut,omitempty"`                            // it is sent cut if it does not fit whole
}

// RequestLine is the record of a request. Options is the JSON that winnow keeps, as a string, so that no
// tool on the way changes its bytes.
type RequestLine struct {
	ID         int64            `json:"id"`
	Turn       int64            `json:"turn"`
	User       int64            `json:"user"`
	Created    int64            `json:"created_ms"`
	Endpoint   Text             `json:"endpoint,omitempty"`
	Model      Text             `json:"model,omitempty"`
	Rules      int64            `json:"rules"`
	Tokenizer  Text             `json:"tokenizer,omitempty"`
	Estimate   int64            `json:"estimate"`
	BodyHash   Text             `json:"body_hash,omitempty"` // hex SHA-256
	Prompt     int64            `json:"prompt_tokens"`       // as reported, -1 for not said; so are the next three
	Cached     int64            `json:"cached_tokens"`
	Answer     int64            `json:"answer_tokens"`
	Reasoning  int64            `json:"reasoning_tokens"`
	Cost       int64            `json:"cost_nano,omitempty"` // billionths of a US dollar
	CostFrom   Text             `json:"cost_from,omitempty"`
	FirstToken int64            `json:"first_token_us"` // microseconds
	Took       int64            `json:"took_us"`
	Retries    int64            `json:"retries,omitempty"`
	Finish     Text             `json:"finish,omitempty"`
	Ended      Text             `json:"ended,omitempty"`
	Error      Text             `json:"error,omitempty" secret:"text"`
	Options    Text             `json:"options,omitempty" db:",null,blob" secret:"json"`
	Plan       *verdicts.Change `json:"plan,omitempty" db:"-"`
	Purpose    string           `json:"purpose,omitempty"` // summary or title, "" for an answer

	CacheWrite  int64 `json:"cache_write_tokens,omitempty"` // as reported, 0 for none or not said
	PriceSource Text  `json:"price_source,omitempty"`       // whose prices the cost was computed from

	Reusable       int64 `json:"reusable_tokens,omitempty"`               // those at its beginning that the request before it began with too
	ReusableAge    int64 `json:"reusable_us,omitempty"`                   // microseconds since that request
	CacheDiagnosis Text  `json:"cache_diagnosis,omitempty" secret:"text"` // what the server says of its cache, JSON

	Fault Text `json:"fault,omitempty" secret:"json"` // why the turn failed with it, JSON

	CutExpected int64 `json:"cut_expected,omitempty"` // what the server was expected to count, where it did not read all
}

// AttachmentLine is the bytes of an image, a file or a text part.
type AttachmentLine struct {
	Hash string `json:"hash"` // hex SHA-256 of Data
	Data []byte `json:"data"`
}

// MessageLine is a message with its calls and parts.
type MessageLine struct {
	ID           int64      `json:"id" db:",null"`
	Parent       int64      `json:"parent,omitempty"`
	Role         Text       `json:"role"`
	Status       Text       `json:"status"`
	Created      int64      `json:"created_ms,omitempty"`
	Tokens       int64      `json:"tokens,omitempty"`
	Tokenizer    Text       `json:"tokenizer,omitempty"`
	Request      int64      `json:"request,omitempty"`
	Endpoint     Text       `json:"endpoint,omitempty"`
	Model        Text       `json:"model,omitempty"`
	FinishReason Text       `json:"finish_reason,omitempty"`
	Label        Text       `json:"label,omitempty"` // its id in the file that it was imported from
	Name         Text       `json:"name,omitempty" db:",blob" secret:"text"`
	ToolCallID   Text       `json:"tool_call_id,omitempty" db:",blob"`
	Content      Text       `json:"content,omitempty" db:",blob" secret:"text"`
	Reasoning    Text       `json:"reasoning,omitempty" db:",blob" secret:"text"`
	ToolCalls    []CallLine `json:"tool_calls,omitempty" db:"-"`
	Parts        []PartLine `json:"parts,omitempty" db:"-"`
	Alone        bool       `json:"alone,omitempty"`                               // sent without the conversation before it
	Fault        Text       `json:"fault,omitempty" secret:"json"`                 // why its turn failed behind it without a request that failed, JSON
	Extra        Text       `json:"extra,omitempty" db:",null,blob" secret:"json"` // unknown keys of the reply, raw JSON
	Damaged      []byte     `json:"damaged,omitempty" db:"-"`                      // the fingerprint that was stored, where the row does not have it any more
}

// CallLine is a tool call as received.
type CallLine struct {
	ID        Text `json:"id" db:"call_id,blob"`
	Name      Text `json:"name" db:",blob" secret:"text"`
	Arguments Text `json:"arguments" db:",blob" secret:"text"`
}

// PartLine is a part of a message, whose bytes are the attachment with its hash.
type PartLine struct {
	Kind      Text   `json:"kind"`
	Name      Text   `json:"name,omitempty" secret:"text"`
	MediaType Text   `json:"media_type,omitempty"`
	Tokens    int64  `json:"tokens,omitempty"`
	Hash      string `json:"hash" db:"-"`
}

// RepairLine is the record of a repair.
type RepairLine struct {
	Message int64  `json:"message"`
	Kind    Text   `json:"kind"`
	Before  []byte `json:"before_hash"` // SHA-256 of the damaged bytes
	What    Text   `json:"what,omitempty" secret:"text"`
	Sent    Text   `json:"sent,omitempty" db:",blob" secret:"text"`
	Rules   int64  `json:"rules"`
	First   int64  `json:"first_ms"`
	Last    int64  `json:"last_ms"`
	Undone  bool   `json:"undone,omitempty"`
}

// RegisterLine is a value that can be set on several machines: of a session, or of one of its messages. The greatest
// stamp holds.
type RegisterLine struct {
	Stamp int64  `json:"stamp" db:"stamp"`
	Item  int64  `json:"item,omitempty" db:"item"` // a message, 0 for the session itself
	Name  string `json:"name" db:"name"`
	Value Text   `json:"value" db:"value" secret:"json"`
}

// TombstoneLine says that a session was purged.
type TombstoneLine struct {
	ID       int64   `json:"id"`
	Session  string  `json:"session"`
	Messages []int64 `json:"messages"` // those that went with it
}

// SummaryLine is a summary.
type SummaryLine struct {
	ID       int64       `json:"id"`
	First    int64       `json:"first"`
	Last     int64       `json:"last"`
	Messages int64       `json:"messages"`
	Created  int64       `json:"created_ms"`
	Endpoint Text        `json:"endpoint,omitempty"`
	Model    Text        `json:"model,omitempty"`
	Text     Text        `json:"text,omitempty" db:",blob" secret:"text"`
	Sources  MessageRuns `json:"sources,omitempty"` // runs of ids of the messages that it was made from and stands for
}
