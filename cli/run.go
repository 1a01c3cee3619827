//go:build cgo

package cli

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/markdown"
)

func (p *program) runCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "run [text]",
		Short: "Answer one message on standard output; standard input joins the text",
		Example: "  winnow run \"why is the sky blue?\"\n" +
			"  git diff | winnow run \"review this\"\n" +
			"  winnow run -a shot.png \"what is wrong here?\"\n" +
			"  winnow run -c \"and now in French\"",
		Args: func(*cobra.Command, []string) error { return p.oneSession() },
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.runOnce(ctx, strings.Join(args, " "))
		}),
	}
	p.sessionFlags(c)
	p.outputFlags(c)
	return c
}

// runOnce sends one message and writes the answer as it arrives. The first signal ends the answer
// in order, and what arrived is kept; a second one ends the program.
func (p *program) runOnce(ctx context.Context, text string) error {
	f := p.flags
	if f.noSave && (f.last || f.lastToo || f.session != "") {
		return fail(Usage, "--no-save cannot add to a session: that is saved")
	}
	draft, err := p.joinInput(text)
	if err != nil {
		return err
	}
	if strings.TrimSpace(draft) == "" && len(f.attach) == 0 {
		return fail(Usage, "there is nothing to ask: give a text, or pipe one in")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	k, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer k.close()
	p.tellSalvage(k.store)
	if k.deps.Approve == session.Ask {
		// Nobody is there to be asked.
		k.deps.Approve = session.Never
	}
	s, err := k.start(ctx)
	if err != nil {
		return err
	}
	if err := s.LoadRest(ctx); err != nil {
		return err
	}
	out := answerWriter{out: p.out, err: p.err, json: f.json, visible: term.IsTerminal(p.out.Fd())}
	if err := k.sayOpenElsewhere(ctx, s, &out); err != nil {
		return err
	}
	files, err := p.attached(s)
	if err != nil {
		return err
	}
	err = out.follow(s.Send(ctx, draft, files...))
	if err != nil {
		k.log.Error("the turn ended", "err", err)
	}
	if f.json {
		id := s.Info().ID
		if k.temporary {
			id = ""
		}
		err = firstError(out.object(p.out, id, s, err, ctx.Err() != nil), err)
	}
	if ctx.Err() != nil {
		p.sayResume(k, s.Info())
		return errInterrupted
	}
	if err == nil && term.IsTerminal(p.err.Fd()) {
		p.sayResume(k, s.Info())
	}
	return err
}

// attached are the files that hang on the message.
func (p *program) attached(s *session.Session) ([]history.Part, error) {
	var files []history.Part
	for _, path := range p.flags.attach {
		part, err := s.Attach(path)
		if err != nil {
			return nil, fail(Usage, "%w", err)
		}
		files = append(files, part)
	}
	return files, nil
}

// sayOpenElsewhere says that a window has the session open. The turn goes on: a script is not to fail
// for a window that somebody left open, and nothing is lost, because what the window adds is a branch.
func (k *kit) sayOpenElsewhere(ctx context.Context, s *session.Session, out *answerWriter) error {
	id := s.Info().ID
	if id == "" {
		return nil
	}
	elsewhere, err := k.store.OpenElsewhere(ctx, id)
	if elsewhere {
		out.notice("a window has this session open; it shows this turn when it opens the session anew, and what is said there before stands on a branch of its own")
	}
	return err
}

func firstError(a, b error) error {
	if b != nil {
		return b
	}
	return a
}

// joinInput is the text with what standard input holds behind it.
func (p *program) joinInput(text string) (string, error) {
	if term.IsTerminal(p.in.Fd()) {
		return text, nil
	}
	piped, err := io.ReadAll(p.in)
	if err != nil {
		return "", fail(Failed, "cannot read standard input: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return string(piped), nil
	}
	if len(piped) == 0 {
		return text, nil
	}
	return text + "\n\n" + string(piped), nil
}

// sayResume says how to go on with a session, if anything of it was saved.
func (p *program) sayResume(k *kit, info store.Session) {
	if info.ID == "" || k.temporary {
		return
	}
	fmt.Fprintf(p.err, "winnow -s %s\n", k.shortID(info.ID))
}

// answerWriter writes the events of a turn to standard output and standard error.
type answerWriter struct {
	out, err io.Writer
	json     bool // keep the text back for one object at the end
	visible  bool // a person looks on: escape sequences are shown, not obeyed

	wrote   bool // something stands on the current line
	answers []session.Answered
	notices []string
}

// follow writes until the turn is over and returns how it ended.
func (w *answerWriter) follow(events <-chan session.Event) error {
	var end error
	for event := range events {
		switch event := event.(type) {
		case session.Delta:
			w.text(event.Text)
		case session.Answered:
			w.answers = append(w.answers, event)
			w.endLine()
		case session.Notice:
			w.notice(event.Text)
		case session.Waiting:
			w.notice(waitingText(event.Waiting))
		case session.Asked:
			event.Allow(false)
		case session.Finished:
			end = event.Err
		}
	}
	w.endLine()
	if end == nil && w.unfinished() {
		return w.cutShort()
	}
	return end
}

// unfinished says that nobody said that the last answer was over.
func (w *answerWriter) unfinished() bool {
	n := len(w.answers)
	return n > 0 && w.answers[n-1].Receipt.End == string(llm.NoDone)
}

// cutShort is the error of an answer that nobody ended: a script must not take its beginning for the
// whole. For people the turn's notice has said it.
func (w *answerWriter) cutShort() error {
	if !w.json {
		return &failure{exit: Provider}
	}
	return fail(Provider, "the server closed the stream without saying that the answer was over")
}

func (w *answerWriter) text(text string) {
	if w.json || text == "" {
		return
	}
	if w.visible {
		text = markdown.Visible(text)
	}
	io.WriteString(w.out, text)
	w.wrote = !strings.HasSuffix(text, "\n")
}

// endLine ends an answer that does not end with a line feed of its own.
func (w *answerWriter) endLine() {
	if w.wrote {
		io.WriteString(w.out, "\n")
	}
	w.wrote = false
}

func (w *answerWriter) notice(text string) {
	if w.json {
		w.notices = append(w.notices, text)
		return
	}
	w.endLine()
	fmt.Fprintf(w.err, "winnow: %s\n", markdown.Visible(text))
}

func waitingText(w llm.Waiting) string {
	return fmt.Sprintf("%s; try %d of %d in %s", w.Err, w.Attempt, w.Of, w.After.Round(100*time.Millisecond))
}

// answerJSON is what run --json writes. It is a contract: fields are added, never renamed or removed.
type answerJSON struct {
	Session  string       `json:"session"` // "" with --no-save
	Turn     int          `json:"turn"`
	Model    string       `json:"model"`
	Answer   string       `json:"answer"` // the answers of the turn, one after the other
	Finish   string       `json:"finish_reason"`
	Stopped  bool         `json:"stopped"`
	Usage    *usageJSON   `json:"usage"`   // as reported for the last request; null where nothing was
	Cost     spentJSON    `json:"cost"`    // of all requests of the turn that were answered
	Receipt  *receiptJSON `json:"receipt"` // null where nothing arrived
	Notices  []string     `json:"notices"`
	Error    string       `json:"error"` // "" for none
	Messages []int64      `json:"messages"`
}

type usageJSON struct {
	Prompt    int `json:"prompt"` // -1 is not said, here and below
	Cached    int `json:"cached"`
	Answer    int `json:"answer"`
	Reasoning int `json:"reasoning"`
}

type receiptJSON struct {
	Sent     int   `json:"sent"`
	Stored   int   `json:"stored"`
	Cut      int   `json:"cut"`
	Dropped  int   `json:"dropped"`
	Recalled int   `json:"recalled"`
	Repaired int   `json:"repaired"`
	Estimate int   `json:"estimate"` // tokens as winnow counts
	Expected int   `json:"expected"` // tokens that the server was expected to count
	TookMS   int64 `json:"took_ms"`
}

// object writes the one object of --json.
func (w *answerWriter) object(out io.Writer, id string, s *session.Session, end error, stopped bool) error {
	o := answerJSON{Session: id, Model: s.Ref(), Stopped: stopped, Notices: w.notices, Messages: []int64{}}
	if o.Notices == nil {
		o.Notices = []string{}
	}
	if end != nil {
		o.Error = sentence(end)
	}
	var texts []string
	var spent session.Spent
	for _, a := range w.answers {
		if a.Message.Content != "" {
			texts = append(texts, a.Message.Content)
		}
		r := a.Receipt
		spent.Add(r.Cost)
		o.Turn, o.Finish = r.Turn, r.Finish
		o.Messages = append(o.Messages, a.Message.ID)
		o.Usage = &usageJSON{r.Usage.Prompt, r.Usage.Cached, r.Usage.Answer, r.Usage.Reasoning}
		o.Receipt = &receiptJSON{r.Sent, r.Stored, r.Cut, r.Dropped, r.Recalled, r.Repaired, r.Estimate, r.Expected, r.Took.Milliseconds()}
	}
	o.Answer, o.Cost = strings.Join(texts, "\n"), spentObject(spent)
	return writeJSON(out, o)
}
