package history

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// ruleBook is every rule of what the model gets to see, each with what it says. A fixture or a test
// names the rules it stands for in a line of its own, in the fixture's first lines or the test's
// comment:
//
//	rules: 1.2, C5, I12
var ruleBook = []struct{ name, says string }{
	{"1.1", "an older answer is cut at 150 characters, a message of the user at 8,000"},
	{"1.2", "a limit counts code points in front of the suffix, the user's with 100 kept free inside it; a grapheme is never broken"},
	{"1.3", "suffixes and markers are templates, the marker with a count where it is asked for"},
	{"1.4", "the first and the last are kept and the middle goes, the oldest first; or the oldest goes, by messages or by turns"},
	{"1.5", "the system prompt is no history, the opener is the first turn"},
	{"1.6", "there is no cap on the number of messages but where a policy sets one"},
	{"1.7", "a cap that is absent is no cap, 0 is no history, less is an error of the configuration"},
	{"1.8", "the budget is one formula that subtracts each thing once; a history budget is net already"},
	{"1.9", "tokens are what the counter says"},
	{"1.10", "four roles are sent; any other is kept and quarantined"},
	{"1.11", "a damaged history is repaired, stripped or refused; no length is fatal"},
	{"1.12", "groups are mended before the choice and the request is checked after it"},
	{"1.13", "arguments that are valid JSON but no object are damaged"},
	{"1.14", "damage is found in the history itself"},
	{"1.15", "tool calls of the past are kept, sent as text or dropped"},
	{"1.16", "a tool result has a limit and keeps head and tail; arguments are never cut"},
	{"1.17", "the stored messages are left alone"},
	{"1.18", "the order is that of the messages, whatever their times say"},
	{"1.19", "an interrupted answer is sent as far as it came and says so; a blank one is not sent"},
	{"1.20", "the current message stands in the request once"},
	{"1.21", "nothing is summarised: every text of a request was said or is listed as added"},
	{"1.22", "history is sent as messages"},
	{"1.23", "a request of a long conversation is built in milliseconds"},

	{"2.1", "the history and the running turn come apart and are both judged"},
	{"2.2", "parts cost what they hold, bytes that are no text are replaced"},
	{"2.3", "the history is repaired, and each repair is listed"},
	{"2.4", "a long loop of tools is divided between its groups, never inside one"},
	{"2.5", "the budget is the smaller of window and configuration, less reserve, margin and what must be sent"},
	{"2.6", "a message is out, at its limits or whole"},
	{"2.7", "one list of priorities that does not depend on the budget"},
	{"2.8", "its longest beginning that fits is taken; all of it where all of it fits"},
	{"2.9", "texts are laid out in their order, each gap with its marker"},
	{"2.10", "an invalid request is never sent: tools as text, then nothing of the past"},
	{"2.11", "each message has one verdict with its reason and its sum"},
	{"pin", "a pinned message is sent whole, with its tool group"},
	{"exclude", "an excluded message is not sent, nor is its tool group"},
	{"alone", "one message can be sent without history"},
	{"remedy text", "the user can have a damaged group of calls sent as text"},
	{"remedy drop", "or left out; so can be any damaged message"},

	{"C1 closed", "arguments that broke off are closed"},
	{"C1 fixed", "arguments that are no JSON are mended"},
	{"C1 lost", "where nothing sure is left {} is sent and the result shows the raw text"},
	{"C2", "absent arguments are {}"},
	{"C3 unwrapped", "an object that was encoded twice is unwrapped"},
	{"C3 value", "a value that is no object is wrapped"},
	{"C3 null", "null is {}"},
	{"C4 split", "glued objects go to the calls that came without arguments, where the numbers agree"},
	{"C4 first", "else the first is kept and the rest is shown"},
	{"C5", "a call without a result gets a neutral one"},
	{"C5 stopped", "but one of an answer that broke off before any of its calls ran is left out"},
	{"C6 text", "a result without a call is text of the answer before it, at the limit of a tool's result"},
	{"C6 strip", "or is left out by strip"},
	{"C7 blank", "a blank id is replaced, on the call and its result"},
	{"C7 taken", "so is one that an earlier call has"},
	{"C7 place", "a result right behind its call has an id that is nobody's: they are brought in line"},
	{"C7 malformed", "so is one with characters that servers refuse"},
	{"C7 length", "so is one of a length that the endpoint refuses"},
	{"C7 same", "equal results of a call collapse"},
	{"C7 other", "of different ones the first is kept and the others are text"},
	{"C8", "a blank answer is left out"},
	{"C9", "a blank result says so"},
	{"C10 late", "a result behind the next question is moved to its call"},
	{"C10 between", "so is one behind a message that stands between"},
	{"C11 name", "a call without a name is text"},
	{"C11 id", "a call without an id gets one"},
	{"C12 hoist", "a late system message goes to the system prompt"},
	{"C12 inline", "or to the next message of the user"},
	{"C13 long", "a long result keeps head and tail"},
	{"C13 binary", "a binary result is a note of its size"},
	{"C14", "bytes that are no text are replacement characters"},
	{"C15", "a row that cannot be read is quarantined and the rest goes on"},

	{"I1", "the body is in the order of the history"},
	{"I2", "the current message stands last, byte for byte; too long, nothing is sent and the sum says by how much"},
	{"I3", "the system prompt stands first, whole and once"},
	{"I4", "pinned messages are whole"},
	{"I5", "the opener is there where any of the history is"},
	{"I6", "a call is sent if and only if its results are, behind it, in its order"},
	{"I7", "the sum is within every budget that what must be sent fits into"},
	{"I8", "equal input makes equal bytes"},
	{"I9", "a larger budget takes nothing away"},
	{"I10", "a request read again as a history makes the same request"},
	{"I11", "what fits is sent as it is"},
	{"I12", "a cut text is a beginning of the original and a suffix, never longer, never a broken grapheme"},
	{"I13", "each gap has one marker"},
	{"I13a", "no answer stands in the body without the question that it answers"},
	{"I14", "a build and a new message change no stored message"},
	{"I15", "a message of the user within its limit is never cut, a shortened answer above its limit always is"},
	{"I16", "the sums are those of the rows and of the request"},
	{"I17", "each message is judged once"},
	{"I18", "nothing excluded is in any byte of a request"},
	{"I19", "every sentence, mark and colour follows from codes and numbers: other words change nothing else"},

	{"V1", "the first message behind the system prompt is the user's"},
	{"V2", "the last message is the user's or a tool's"},
	{"V3", "ids are present, single and answered right behind their call"},
	{"V4", "arguments are a JSON object"},
	{"V5", "content is present"},
	{"V6", "roles follow one another as the endpoint wants"},
	{"V7", "there are no unknown keys"},
	{"V8", "ids have the characters and the length that the endpoint wants"},
	{"V9", "keys that only the server of an answer knows go back to it alone, reasoning where it is wanted, and neither into a text"},
}

// ways are the values of the policy that each have a rule of their own.
var ways = []string{"keep", "text", "drop", "repair", "strip", "strict", "middle", "oldest", "turns", "none"}

func TestEveryRuleHasAFixtureOrATest(t *testing.T) {
	standing := rulesOfFixtures(t)
	for name, rules := range rulesOfTests(t) {
		standing[name] = rules
	}
	named := map[string]bool{}
	for _, rules := range standing {
		for _, rule := range rules {
			named[rule] = true
		}
	}
	var book []string
	for _, rule := range ruleBook {
		if book = append(book, rule.name); !named[rule.name] {
			t.Errorf("no fixture and no test stands for rule %s: %s", rule.name, rule.says)
		}
	}
	for _, name := range append(Presets(), ways...) {
		if book = append(book, name); !named[name] {
			t.Errorf("no fixture and no test stands for %q", name)
		}
	}
	for name, rules := range standing {
		for _, rule := range rules {
			if !slices.Contains(book, rule) {
				t.Errorf("%s stands for rule %q, which is not in the book", name, rule)
			}
		}
	}
}

func rulesOfFixtures(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	standing := map[string][]string{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		standing[file] = rulesIn(string(a.Comment))
	}
	return standing
}

// rulesOfTests are the rules that the comments of tests, fuzz targets and benchmarks name.
func rulesOfTests(t *testing.T) map[string][]string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	standing := map[string][]string{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Doc == nil {
				continue
			}
			for _, kind := range []string{"Test", "Fuzz", "Benchmark"} {
				if strings.HasPrefix(f.Name.Name, kind) {
					standing[f.Name.Name] = rulesIn(f.Doc.Text())
				}
			}
		}
	}
	return standing
}

// rulesIn are the rules that a comment names.
func rulesIn(comment string) []string {
	var rules []string
	for line := range strings.Lines(comment) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "rules: ")
		if !ok {
			continue
		}
		for _, rule := range strings.Split(list, ",") {
			rules = append(rules, strings.TrimSpace(rule))
		}
	}
	return rules
}
