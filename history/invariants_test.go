package history

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// invariants are the tests that hold what is true of every plan, I1 to I19 in the book of rules, over random
// conversations. Beside them stand, in other packages:
//
//	I14  session: TestNothingExcludedIsInAnyRequest, that no stored message changes
//	I18  session: the same, over turns, edits, retries, forks, summaries and titles
//	I19  history: TestPlansAreMadeWithoutSentences, TestARepairInOtherWordsIsNoChange
//	     history/cause: TestSentencesOfOldRecordsHaveCodes
var invariants = []func(*testing.T){
	TestTheBodyIsInTheOrderOfTheHistory,
	TestToolGroupsStayWholeAndTheOrderStays,
	TestTheCurrentMessageStandsLastAndThePromptFirst,
	TestTheCurrentMessageIsSentOnceOrTheSumShowsTheCause,
	TestPinnedStaysWholeAndTheOpenerStays,
	TestEveryBudgetForWhatMustBeSentIsKept,
	TestBuildIsDeterministicAndLeavesItsInputAlone,
	TestAppendIsTheSameAsReadingAtOnce,
	TestAnotherRemedyIsAsIfItHadBeenTheFirst,
	TestMoreBudgetNeverSendsLess,
	TestBuildingTwiceChangesNothing,
	TestNothingChangesWhileEverythingFits,
	TestCutTextIsABeginningOfTheOriginal,
	TestACutIsCleanWhereACallerSeesIt,
	TestAnswersAreCutBeforeQuestions,
	TestEachGapHasItsMarkerExactlyThere,
	TestAPlanHasOneMarkerForEachGap,
	TestNoAnswerStandsWithoutItsQuestion,
	TestTheSumIsWhatTheRequestCosts,
	TestEveryTextOfARequestHasItsSource,
	TestEachMessageHasOneVerdictAndTheSumsAddUp,
	TestNothingExcludedIsSent,
	TestSpansAreWhereTheTextIs,
	TestEveryRequestIsValid,
	TestABudgetIsUsedToTheLastMessage,
	TestRecalledTextsStandUnderTheirDay,
	TestWhatIsWholeStandsInTheRequest,
	TestNothingIsSentOfAGroupThatIsLeftOut,
}

var invariantName = regexp.MustCompile(`^I\d+a?$`)

// TestInvariants wants a test among the invariants for each of I1 to I19. A soak runs them all, or some of them:
//
//	go test ./history -run TestInvariants -soak 100000 -timeout 0 -v
//	go test ./history -run TestInvariants/I9_ -soak 100000 -timeout 0 -v
func TestInvariants(t *testing.T) {
	rules, held := rulesOfTests(t), map[string]bool{}
	for _, test := range invariants {
		path := strings.Split(runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name(), ".")
		name := path[len(path)-1]
		var names []string
		for _, rule := range rules[name] {
			if invariantName.MatchString(rule) {
				names, held[rule] = append(names, rule), true
			}
		}
		if *soak > 0 {
			t.Run(strings.Join(append(names, strings.TrimPrefix(name, "Test")), "_"), test)
		}
	}
	for n := 1; n <= 19; n++ {
		if name := fmt.Sprintf("I%d", n); !held[name] {
			t.Errorf("no test holds %s over random conversations", name)
		}
	}
}
