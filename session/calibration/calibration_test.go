package calibration

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

var soak = flag.Int("soak", 0, "simulate so many conversations")

// simulation is a chat with a server that counts by a tokenizer of its own and drops whole messages, as
// Ollama does, where a request is longer than its context window.
type simulation struct {
	*rand.Rand
	Calibration

	window  int       // the server's, in its tokens; 0 is one that never drops anything
	planned int       // the most that is planned for without a limit, in the server's tokens
	factors []float64 // the server's tokens for each of ours, by kind of text
	around  float64   // its tokens around each message
	kind    int       // of the text that is talked about now
	images  float64   // the chance of an image in a message
	image   float64   // its tokens for one of the usual size
	tools   float64   // the chance of tool calls in a turn

	messages []simulated // the system prompt with the tools first
	uncut    int         // whole requests that were taken for such
	tally
}

// simulated is a message, with what the server counts of it.
type simulated struct {
	Part
	served float64
	answer bool
}

// tally counts turns after two good samples, by what happened in them and what was found.
type tally struct {
	turns     int
	whole     int // every request was read whole
	alarms    int // of those: a cut was found
	withdrawn int // of those alarms: the next report disproved them
	cuts      int // a request lost more than a quarter
	said      int // of those: in that turn
	late      int // in the next turn
	never     int
	doubted   int // cuts that were taken back
}

func (t *tally) add(o tally) {
	t.turns += o.turns
	t.whole += o.whole
	t.alarms += o.alarms
	t.withdrawn += o.withdrawn
	t.cuts += o.cuts
	t.said += o.said
	t.late += o.late
	t.never += o.never
	t.doubted += o.doubted
}

func (t tally) String() string {
	return fmt.Sprintf("%d turns: %d read whole with %d false alarms (%d withdrawn); %d cut by more than a quarter: %d said in that turn, %d in the next, %d never, %d taken back",
		t.turns, t.whole, t.alarms, t.withdrawn, t.cuts, t.said, t.late, t.never, t.doubted)
}

// kinds are the kinds of text that the client tells apart, by those that the server counts differently.
var kinds = []textKind{0, 0, 1, 2, 3, 3, 4}

// newSimulation is a chat whose server counts 0.5 to 8 times our tokens, differently for each kind of text.
func newSimulation(seed uint64) *simulation {
	s := &simulation{Rand: rand.New(rand.NewPCG(seed, 11))}
	scale := math.Exp(s.Float64()*math.Log(16)) / 2
	script := make([]float64, 5)
	for i := range script {
		script[i] = scale * math.Exp(s.NormFloat64()*0.4)
	}
	for _, kind := range kinds {
		s.factors = append(s.factors, min(8, max(0.5, script[kind]*math.Exp(s.NormFloat64()*0.2))))
	}
	s.around = s.Float64() * 10
	s.window = []int{0, 4096, 4096, 8192, 16_384, 32_768}[s.IntN(6)]
	s.planned = 2048 << s.IntN(6)
	if s.window > 0 && s.IntN(3) > 0 {
		s.planned = s.window * (2 + s.IntN(7)) / 2
	}
	s.images = []float64{0, 0, 0.08}[s.IntN(3)]
	s.image = 100 + s.Float64()*1400
	s.tools = []float64{0, 0, 0.4}[s.IntN(3)]
	s.kind = s.IntN(len(s.factors))
	system := 30 + s.IntN(400)
	if s.tools > 0 {
		system += 200 + s.IntN(1500)
	}
	if s.window > 0 { // A system prompt that leaves no room is of no use to anybody.
		system = min(system, int(float64(s.window)/4/s.factors[s.kind]))
	}
	s.say(system, false)
	return s
}

// say adds a message of so many of our tokens, of the kind that is talked about now.
func (s *simulation) say(tokens int, answer bool) {
	served := s.factors[s.kind]*float64(tokens)*(0.9+0.2*s.Float64()) + s.around
	id := int64(len(s.messages))
	s.messages = append(s.messages, simulated{Part{partKey{id, tokens + 4}, kinds[s.kind], 0}, served, answer})
}

// size is a length in our tokens: from least to most, and less where the server's window is small or its
// tokenizer is costly, because nobody pastes what cannot fit.
func (s *simulation) size(least, most int) int {
	n := float64(least + s.IntN(most-least))
	if s.window > 0 {
		n *= min(1, float64(s.window)/8192*2/s.factors[s.kind])
	}
	return max(4, int(n))
}

// question is a user's message: most are short, some hold a file.
func (s *simulation) question() {
	if s.IntN(25) == 0 {
		s.kind = s.IntN(len(s.factors))
	}
	switch s.IntN(10) {
	case 0:
		s.say(s.size(1000, 3000), false)
	case 1, 2:
		s.say(s.size(200, 1000), false)
	default:
		s.say(s.size(8, 200), false)
	}
	if s.Float64() < s.images {
		m := &s.messages[len(s.messages)-1]
		m.images, m.served = 1, m.served+s.image*(0.6+0.8*s.Float64())
	}
}

// turn is one question with its answer, and tool calls before that.
func (s *simulation) turn() (played bool) {
	before := s.tally
	past := len(s.messages)
	good := s.uncut >= goodSamples
	s.question()
	rounds := 1
	if s.Float64() < s.tools {
		rounds += 1 + s.IntN(3)
	}
	var cut, short, said bool
	for round := range rounds {
		sent, ok := s.plan(past)
		if !ok {
			break
		}
		r, served, ok := s.serve(sent)
		if !ok {
			break
		}
		played = true
		r.Limited = s.limit > 0
		found := s.Judge(r).Finding
		switch {
		case found != Whole || s.uncut >= goodSamples:
		case float64(r.Reported) > served-1:
			s.uncut++
		default:
			s.uncut = 0
		}
		short = short || float64(r.Reported) < served-0.5
		if float64(r.Reported) < 0.75*served {
			cut = true
			s.doubted += count(found == Disproved)
		}
		said = said || found == Cut
		s.withdrawn += count(found == Disproved && float64(r.Reported) > served-1)
		if round < rounds-1 {
			kind := s.kind
			s.say(s.size(20, 170), true)
			s.kind = s.IntN(len(s.factors))
			s.say(s.size(20, 1500), false)
			s.kind = kind
		}
	}
	if !played {
		s.messages = s.messages[:past] // The user takes the question back.
		return false
	}
	kind := s.kind
	if s.IntN(12) == 0 {
		s.kind = s.IntN(len(s.factors))
	}
	s.say(s.size(20, 900), true)
	s.kind = kind
	if !good {
		s.withdrawn = before.withdrawn
		return true
	}
	s.turns++
	switch {
	case cut && said:
		s.cuts, s.said = s.cuts+1, s.said+1
	case cut:
		s.cuts++
	case !short:
		s.whole++
		s.alarms += count(said)
	}
	return true
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// plan is what is sent: everything that fits, else older answers shortened, else older messages left out.
// The question and what follows it is always sent.
func (s *simulation) plan(past int) ([]simulated, bool) {
	most := float64(s.planned) * 3 / 4 // a quarter is kept for the reply
	if s.limit == 0 {
		return s.within(past, most)
	}
	most = min(most, float64(s.Budget()))
	list, ok := s.within(past, most)
	for range 3 {
		var parts []Part
		for _, m := range list {
			parts = append(parts, m.Part)
		}
		over := s.OverLimit(parts)
		if over <= 1 {
			break
		}
		most /= over
		if list, ok = s.within(past, most); !ok {
			break
		}
	}
	return list, ok
}

// within is what is sent of so many tokens, by the ratio that was learned.
func (s *simulation) within(past int, most float64) ([]simulated, bool) {
	fits := func(list []simulated) bool {
		total := 0
		for _, m := range list {
			total += m.tokens
			if m.images > 0 {
				total += 765
			}
		}
		return float64(total)*s.Scale() <= most*0.97
	}
	list := append([]simulated(nil), s.messages...)
	for i := 1; i < past-2 && !fits(list); i++ {
		if m := &list[i]; m.answer && m.tokens > 40 {
			m.served = m.served * 40 / float64(m.tokens)
			m.tokens = 40
		}
	}
	from := min(3, past) // The first question and its answer stay as long as others can go.
	drop := 0
	for !fits(list) && from+1 < len(list)-(len(s.messages)-past) {
		list = append(list[:from:from], list[from+1:]...)
		drop++
	}
	for !fits(list) && len(list) > len(s.messages)-past+1 {
		list = append(list[:1:1], list[2:]...)
	}
	if drop > 0 && s.IntN(2) == 0 {
		// Something is recalled, for this question only.
		if m := s.messages[from+s.IntN(drop)]; m.images == 0 && fits(append(list, m)) {
			last := len(list) - 1
			list = append(list[:last:last], m, list[last])
		}
	}
	return list, fits(list)
}

// serve is what the server reports, and what the whole request has; not ok is a refusal.
func (s *simulation) serve(sent []simulated) (r Report, whole float64, ok bool) {
	read := 0.0
	for _, m := range sent {
		r.Parts = append(r.Parts, m.Part)
		whole += m.served
	}
	read = whole
	if s.window > 0 && read > float64(s.window) {
		for i := 1; i < len(sent)-1 && read > float64(s.window); i++ {
			read -= sent[i].served
		}
		if read > float64(s.window) {
			if s.IntN(5) > 0 {
				return r, whole, false
			}
			read = float64(s.window/2 + 2)
		}
	}
	r.Reported = int(math.Round(read))
	return r, whole, true
}

// TestCutsAreFoundAndWholeRequestsAreNot simulates conversations with servers that drop messages. With -soak it holds
// them to nineteen of twenty cuts said in their turn; the few conversations of every run have ten cuts.
func TestCutsAreFoundAndWholeRequestsAreNot(t *testing.T) {
	t.Parallel()
	conversations, least := 40, 0.8
	if *soak > 0 {
		conversations, least = *soak, 0.95
	}
	var all tally
	for seed := range conversations {
		s := newSimulation(uint64(seed))
		open := false // a cut of the turn before was not said
		for range 60 {
			before := s.tally
			if !s.turn() {
				continue
			}
			missed := s.cuts > before.cuts && s.said == before.said
			if open {
				if s.said > before.said {
					s.late++
				} else {
					s.never++
				}
			}
			open = missed
		}
		s.never += count(open)
		all.add(s.tally)
	}
	t.Log(all)
	if all.alarms*1000 > all.whole {
		t.Errorf("%d false alarms in %d whole turns, want at most one in a thousand", all.alarms, all.whole)
	}
	if all.cuts == 0 || float64(all.said) < least*float64(all.cuts) {
		t.Errorf("%d of %d cuts were said in their turn", all.said, all.cuts)
	}
}

// ofTokens is a report of a request of one message with so many tokens by our count.
func ofTokens(message int64, tokens, reported int) Report {
	return Report{Parts: []Part{{partKey: partKey{message, tokens}, kind: textKind(message)}}, Reported: reported}
}

func TestRatioIsLearned(t *testing.T) {
	for _, c := range []struct {
		what     string
		reported []int
		ratio    float64
		samples  int
	}{
		{"the first value whole", []int{1400}, 1.4, 1},
		{"then three tenths of each new one", []int{1400, 1700}, 1.49, 2},
		{"a much smaller one when another confirms it, down by a tenth at most", []int{3000, 3000, 1990, 1990}, 2.7, 3},
		{"absent and zero counts teach nothing", []int{-1, 0, 1400, 0}, 1.4, 1},
		{"no more than sixteen", []int{99_000}, 16, 1},
		{"no less than a half", []int{450, 450}, 0.5, 1},
	} {
		var got Calibration
		for i, reported := range c.reported {
			got.Judge(ofTokens(int64(i+1), 1000, reported))
		}
		if math.Abs(got.Ratio-c.ratio) > 1e-9 || got.Samples != c.samples {
			t.Errorf("%s: learned %.3f of %d samples, want %.3f of %d", c.what, got.Ratio, got.Samples, c.ratio, c.samples)
		}
	}
}

func TestSmallRequestsTeachNoRatio(t *testing.T) {
	var c Calibration
	if c.Judge(ofTokens(1, 199, 300)); c.Samples != 0 || c.Ratio != 0 {
		t.Errorf("learned %.2f of %d samples, want nothing", c.Ratio, c.Samples)
	}
}

// What an image costs is learned beside the ratio of the texts.
func TestImagesAreNoText(t *testing.T) {
	c, parts := chat(4)
	for i := range 4 {
		parts = append(parts, Part{partKey: partKey{int64(10 + i), 300}, images: 1})
		c.Judge(Report{Parts: parts, Reported: 300*len(parts) + 1100*(i+1)})
	}
	if e := c.expect(newSample(append(parts, Part{partKey: partKey{20, 300}, images: 2}), 0), c.counted); math.Abs(e.tokens-(2700+6600)) > 500 {
		t.Errorf("six images of 1,100 tokens and 2,700 of text: expected %.0f tokens", e.tokens)
	}
	if c.Ratio < 0.9 || c.Ratio > 1.2 {
		t.Errorf("the ratio of the text is %.2f, want about 1", c.Ratio)
	}
}

// chat is a calibration after some turns of 300 tokens each that were counted as they are, and the parts of its
// last request.
func chat(turns int) (c Calibration, parts []Part) {
	for i := range turns {
		parts = append(parts, Part{partKey: partKey{int64(i + 1), 300}})
		c.Judge(Report{Parts: parts, Reported: 300 * len(parts)})
	}
	return c, parts
}

func TestCutIsFoundConfirmedAndLimited(t *testing.T) {
	c, parts := chat(13)
	grown := append(parts, Part{partKey: partKey{14, 300}}, Part{partKey: partKey{15, 1500}})
	if j := c.Judge(Report{Parts: grown, Reported: 3700}); j.Finding != Cut || j.Expected < 5600 || j.Expected > 5800 || c.limit != 3900 {
		t.Fatalf("3,700 of 5,700 tokens: found %d, expected %d, limit %d; want a cut and the largest whole count", j.Finding, j.Expected, c.limit)
	}
	if math.Abs(c.Ratio-1) > 0.01 {
		t.Errorf("the ratio is %.2f after a cut, want 1", c.Ratio)
	}
	if j := c.Judge(Report{Parts: parts[3:], Reported: 3000, Limited: true}); j.Finding != Whole || c.limit != 3900 {
		t.Errorf("a request under the limit that is counted whole: found %d, limit %d; want that the limit holds", j.Finding, c.limit)
	}
}

func TestCutIsWithdrawnWhereTheTokenizerWasTheCause(t *testing.T) {
	c, parts := chat(10)
	if j := c.Judge(Report{Parts: parts, Reported: 1200}); j.Finding != Cut {
		t.Fatalf("1,200 of 3,000 tokens: found %d, want a cut", j.Finding)
	}
	if j := c.Judge(Report{Parts: parts[4:], Reported: 740, Limited: true}); j.Finding != Disproved {
		t.Fatalf("740 of 1,800 tokens under the limit: found %d, want that there was no cut", j.Finding)
	}
	if c.limit != 0 || c.Ratio < 0.5 || c.Ratio > 0.51 {
		t.Errorf("the limit is %d and the ratio %.2f; want none, and what both counts say", c.limit, c.Ratio)
	}
}

// Text of another kind may be counted at much less for each of our tokens: the count has grown all the same.
func TestAnotherKindOfTextIsNoCut(t *testing.T) {
	var c Calibration
	parts := []Part{{partKey: partKey{1, 1000}}}
	for range 3 {
		c.Judge(Report{Parts: parts, Reported: 4000})
	}
	parts = append(parts, Part{partKey: partKey{3, 1500}, kind: denseText})
	if j := c.Judge(Report{Parts: parts, Reported: 4000 + 3000}); j.Finding == Cut {
		t.Errorf("1,500 tokens of another kind that count half: found %d, expected %d; want no cut", j.Finding, j.Expected)
	}
}

// A request below the limit holds less of a text that the server may count at any price.
func TestUncountedTextHasSlackBelowALimit(t *testing.T) {
	c, parts := chat(13)
	c.limit = 4000
	if over := c.OverLimit(parts[:12]); over > 1 {
		t.Errorf("3,600 tokens of text that is well known: %.2f of a limit of 4,000", over)
	}
	script := append(parts[:6:6], Part{partKey: partKey{20, 1800}, kind: scriptText})
	if over := c.OverLimit(script); over < 1.2 {
		t.Errorf("1,800 tokens of a script that was never counted beside 1,800: %.2f of a limit of 4,000", over)
	}
}

func TestKindsOfText(t *testing.T) {
	for text, want := range map[string]textKind{
		"This is what people write to one another.":                        proseText,
		"Das ist es, was Leute einander schreiben, größer als gedacht.":    proseText,
		`{"id": 17, "list": [1, 2, 3, 40], "ok": true, "n": {"x": 1.5}}`:   denseText,
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08": solidText,
		"这段对话说明了模型能看到什么":                                                   hanText,
		"Was heißt 这段对话说明了模型能看到什么 auf Deutsch?":                            hanText,
		"मैं हिन्दी में लिखता हूँ":                                         scriptText + 0x900>>7,
		"ഞാൻ മലയാളത്തിൽ എഴുതുന്നു":                                         scriptText + 0xd00>>7,
		"": proseText,
	} {
		if got := kindOf(text); got != want {
			t.Errorf("%.30q is of kind %d, want %d", text, got, want)
		}
	}
}
