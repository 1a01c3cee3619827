package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"winnow/history"
)

func (in *restoring) addSession(ctx context.Context, l *SessionLine) error {
	in.id = in.ID
	if in.id == "" {
		in.id = newID()
	}
	forkedAt, err := in.forkPoint(ctx, l.ForkedAt)
	if err != nil {
		return err
	}
	result, err := in.tx.ExecContext(ctx, `
		INSERT INTO sessions (
			id, created_ms, updated_ms, used, leaf, parent, forked_at, pinned, archived, deleted_ms, title, title_from,
			endpoint, model, preset, dir, overrides, system, system_fixed, source, origin
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		in.id, l.Created, l.Updated, min(l.Used, most<<10), l.Leaf, in.Parent, forkedAt, l.Pinned, l.Archived, l.Deleted,
		string(l.Title), l.TitleFrom, string(l.Endpoint), string(l.Model), string(l.Preset), string(l.Dir),
		string(l.Overrides), string(l.System), l.Fixed, string(l.Source), string(l.Origin))
	if err != nil {
		return err
	}
	if in.session, err = result.LastInsertId(); err != nil {
		return err
	}
	tags := make([]string, len(l.Tags))
	for i, tag := range l.Tags {
		tags[i] = string(tag)
	}
	if err := setTags(ctx, in.tx, in.session, tags); err != nil || l.Draft == nil {
		return err
	}
	files := string(l.Draft.Files)
	if files == "" {
		files = "[]"
	}
	_, err = in.tx.ExecContext(ctx, `
		INSERT INTO drafts (session, updated_ms, text, files)
		VALUES (?, ?, ?, ?)`, in.session, l.Draft.Updated, []byte(l.Draft.Text), files)
	return err
}

// forkPoint is the message at a place of the parent. Where the parent is not here, it is the place with
// a minus in front: finish of the parent finds it.
func (in *restoring) forkPoint(ctx context.Context, place int64) (int64, error) {
	if place <= 0 || in.Parent == "" {
		return 0, nil
	}
	var message int64
	err := in.tx.QueryRowContext(ctx, `
		SELECT m.id
		FROM sessions p
		JOIN messages m ON m.session = p.n AND m.seq = ?
		WHERE p.id = ?`, place, in.Parent).Scan(&message)
	if errors.Is(err, sql.ErrNoRows) {
		return -place, nil
	}
	return message, err
}

func (in *restoring) addRequest(ctx context.Context, l *RequestLine) error {
	_, err := in.tx.ExecContext(ctx, `
		INSERT INTO requests (
			id, session, turn, user, created_ms, endpoint, model, rules, tokenizer, estimate, body_hash,
			prompt_tokens, cached_tokens, answer_tokens, reasoning_tokens, cost_nano, cost_from, first_token_us,
			took_us, retries, finish, ended, error, options, plan, purpose, cut_expected
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		l.ID, in.session, l.Turn, l.User, l.Created, string(l.Endpoint), string(l.Model), l.Rules, string(l.Tokenizer),
		l.Estimate, string(l.BodyHash), l.Prompt, l.Cached, l.Answer, l.Reasoning, l.Cost, string(l.CostFrom),
		l.FirstToken, l.Took, l.Retries, string(l.Finish), string(l.Ended), string(l.Error), nothing([]byte(l.Options)),
		nothing(l.Plan), l.Purpose, l.CutExpected)
	return err
}

// addAttachment stores the bytes of a part under the hash that they had where they came from, so that
// damaged ones stay damaged. Whole ones mend what is damaged here.
func (in *restoring) addAttachment(ctx context.Context, l *AttachmentLine) error {
	hash, err := hex.DecodeString(l.Hash)
	if err != nil || len(hash) != sha256.Size {
		return fmt.Errorf("attachment %.80q has no SHA-256", l.Hash)
	}
	key, err := attachBytes(ctx, in.tx, hash, l.Data)
	in.attached[l.Hash] = key
	return err
}

func (in *restoring) addMessage(ctx context.Context, l *MessageLine) error {
	if l.Status == Text(history.Streaming) {
		l.Status = Text(history.Interrupted)
	}
	hash := l.Damaged
	if hash == nil {
		hash = in.print.line(l)
	}
	if err := in.insertMessage(ctx, l, hash); err != nil {
		return err
	}
	in.messages++
	if l.Role == Text(history.User) {
		in.turns++
	}
	in.runs = runOn(in.runs, l.ID)
	calls := make([]history.ToolCall, len(l.ToolCalls))
	for i, c := range l.ToolCalls {
		calls[i] = history.ToolCall{ID: string(c.ID), Name: string(c.Name), Arguments: string(c.Arguments)}
	}
	if err := insertCalls(ctx, in.tx, l.ID, calls); err != nil {
		return err
	}
	parts, keys := make([]history.Part, len(l.Parts)), make([]int64, len(l.Parts))
	for i, p := range l.Parts {
		key, there := in.attached[p.Hash]
		if !there {
			return fmt.Errorf("message %d has an attachment that is not in the archive (%.80q)", l.ID-in.shift.Messages, p.Hash)
		}
		parts[i] = history.Part{Kind: history.PartKind(p.Kind), Name: string(p.Name), MediaType: string(p.MediaType), Tokens: int(p.Tokens)}
		keys[i] = key
	}
	return insertParts(ctx, in.tx, l.ID, parts, keys)
}

func (in *restoring) insertMessage(ctx context.Context, l *MessageLine, hash []byte) error {
	if in.insert == nil {
		var err error
		in.insert, err = in.tx.PrepareContext(ctx, `
			INSERT INTO messages (
				id, session, seq, parent, role, status, created_ms, calls, parts, tokens, tokenizer, request,
				endpoint, model, finish_reason, label, name, tool_call_id, hash, extra, reasoning, content, alone
			) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return err
		}
	}
	_, err := in.insert.ExecContext(ctx,
		l.ID, in.session, l.Seq, l.Parent, string(l.Role), string(l.Status), l.Created, len(l.ToolCalls), len(l.Parts),
		l.Tokens, string(l.Tokenizer), l.Request, string(l.Endpoint), string(l.Model), string(l.FinishReason),
		string(l.Label), []byte(l.Name), []byte(l.ToolCallID), hash, nothing([]byte(l.Extra)), []byte(l.Reasoning),
		[]byte(l.Content), l.Alone)
	return err
}

func (in *restoring) addRepair(ctx context.Context, l *RepairLine) error {
	if err := inSession(ctx, in.tx, in.session, l.Message); err != nil {
		return err
	}
	_, err := in.tx.ExecContext(ctx, `
		INSERT INTO repairs (message, kind, before_hash, what, sent, rules, first_ms, last_ms, undone)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		l.Message, string(l.Kind), l.Before, string(l.What), []byte(l.Sent), l.Rules, l.First, l.Last, l.Undone)
	return err
}

func (in *restoring) addFlag(ctx context.Context, l *FlagLine) error {
	if err := inSession(ctx, in.tx, in.session, l.Message); err != nil {
		return err
	}
	_, err := in.tx.ExecContext(ctx, `
		INSERT INTO flags (message, flag, created_ms)
		VALUES (?, ?, ?)`, l.Message, l.Flag, l.Created)
	return err
}

func (in *restoring) addRemedy(ctx context.Context, l *RemedyLine) error {
	if err := inSession(ctx, in.tx, in.session, l.Message); err != nil {
		return err
	}
	_, err := in.tx.ExecContext(ctx, `
		INSERT INTO remedies (message, remedy, created_ms)
		VALUES (?, ?, ?)`, l.Message, l.Remedy, l.Created)
	return err
}

func (in *restoring) addSummary(ctx context.Context, l *SummaryLine) error {
	sources := l.Sources
	if len(sources) == 0 {
		// An older archive does not say what the summary was made from: everything up to its newest message
		// counts.
		sources = history.IDs{{in.from.Messages + in.shift.Messages, l.Last}}
	}
	_, err := in.tx.ExecContext(ctx, `
		INSERT INTO summaries (id, session, first, last, messages, created_ms, endpoint, model, text, sources)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		l.ID, in.session, l.First, l.Last, l.Messages, l.Created, string(l.Endpoint), string(l.Model), []byte(l.Text),
		sources.String())
	return err
}
