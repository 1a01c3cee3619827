package history

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// invariants are the tests of what is true of every plan, over random conversations. session has one more,
// TestNothingExcludedIsInAnyRequest, over turns, edits, retries, forks, summaries and titles.
var invariants = []func(*testing.T){
	TestTheBodyIsInTheOrderOfTheHistory,
	TestToolGroupsStayWholeAndTheOrderStays,
	TestTheCurrentMessageStandsLastAndThePromptFirst,
	TestTheCurrentMessageIsSentOnceOrTheSumShowsTheCause,
	TestPinnedStaysWholeAndTheOpenerStays,
	TestEveryBudgetForWhatMustBeSentIsKept,
	TestBuildIsDeterministicAndLeavesItsInputAlone,
	TestAConversationThatGrewPlansAsOneReadAtOnce,
	TestMoreBudgetNeverSendsLess,
	TestBuildingTwiceChangesNothing,
	TestNothingChangesWhileEverythingFits,
	TestCutTextIsABeginningOfTheOriginal,
	TestACutIsCleanWhereACallerSeesIt,
	TestAnswersAreCutBeforeQuestions,
	TestEachGapHasItsMarkerExactlyThere,
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

// TestInvariants runs the properties above over many more random conversations than their own tests do:
//
//	go test ./history -run TestInvariants -soak 100000 -timeout 0 -v
//	go test ./history -run TestInvariants/ACutIsClean -soak 100000 -timeout 0 -v
func TestInvariants(t *testing.T) {
	if *soak == 0 {
		t.Skip("each property has a test of its own; -soak N runs them all over N conversations")
	}
	for _, test := range invariants {
		path := strings.Split(runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name(), ".")
		t.Run(strings.TrimPrefix(path[len(path)-1], "Test"), test)
	}
}
