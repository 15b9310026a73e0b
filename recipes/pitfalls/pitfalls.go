// Package pitfalls holds the mistakes that people make with ZooKeeper and with locks elsewhere, each as code that runs,
// with the name of the recipe that does it right. They are in the catalogue of package recipes; a host runs them as
// it runs those.
package pitfalls

import (
	"embed"

	"github.com/zkviz/zkviz/engine/recipe"
)

// Dir is what the File of a pitfall begins with.
const Dir = "pitfalls/"

// All is the pitfalls, in the order of teaching.
func All() []recipe.Recipe {
	return []recipe.Recipe{
		noLockRecipe,
		ownMutexRecipe,
		watchTheLowestRecipe,
		lowestWithALookRecipe,
		firstAsListedRecipe,
		noSecondLookRecipe,
		goneSoMyTurnRecipe,
		checkThenWatchRecipe,
		answerNotReadRecipe,
		listThenWatchRecipe,
		orderByTimeRecipe,
		waitForEqualsRecipe,
		textOrderRecipe,
		orphanNodeRecipe,
		releaseByAnyoneRecipe,
		lockTwiceRecipe,
		oneReleaseTooFewRecipe,
		ghostAfterTimeoutRecipe,
		watchLeftBehindRecipe,
		unnoticedExpiryRecipe,
		counterRestartsRecipe,
		wrongPredecessorRecipe,
		staleOwnNodeRecipe,
		deleteAfterProcessingRecipe,
		deleteBeforeProcessingRecipe,
		memberForGoodRecipe,
		noBarrierRecipe,
		ephemeralStartRecipe,
		barrierReusedRecipe,
		lostBusyLoopRecipe,
		unsafeRetryRecipe,
		firstFreeNameRecipe,
		lookWithoutSyncRecipe,
		staleReadRecipe,
		syncThenReadRecipe,
		znodeStillThereRecipe,
		setNXRecipe,
		setNXExpireRecipe,
		getDelRecipe,
		pubSubForeverRecipe,
		failoverRecipe,
		noRecheckRecipe,
		sharedSessionRecipe,
		leaseNoEpochRecipe,
		uniqueRowRecipe,
		onceByLockRecipe,
		lostUpdateRecipe,
		autocommitRecipe,
		noRowRecipe,
	}
}

//go:embed *.go
var sources embed.FS

// Source is the text of a pitfall's file, named without Dir, empty if there is none of that name.
func Source(file string) string {
	text, err := sources.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}
