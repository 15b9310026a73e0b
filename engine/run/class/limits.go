package class

import "time"

// Limits of a class. Reaching one is an error that says so.
const (
	MaxLearners  = 2000
	MaxName      = 40   // characters of a learner's name
	MaxText      = 500  // characters of a teacher's own question
	MaxChoice    = 120  // characters of each of its choices
	MaxChoices   = 8    // of a question
	MaxQuestions = 200  // that are asked in a class
	MaxChanges   = 20   // answers of a learner to one question
	MaxTasks     = 100  // that anybody does in a class
	MaxTask      = 200  // bytes of a task's name
	MaxFaults    = 64   // of a solution
	MaxSolution  = 1024 // bytes of them
	MaxAnchor    = 100  // bytes of a lesson's step, and of a question's name
	MaxPage      = 200  // bytes of a page's path
	MaxQuery     = 2048 // bytes of a place's scenario and moment, as in engine/run/link
	MaxWay       = 64   // bytes of the name of a way to wait
	MaxCommand   = 8 << 10
	// MaxOfLearner is how many entries a learner may make.
	MaxOfLearner = 1000
	// MaxEntries is how long a class's log may be.
	MaxEntries = 200_000
	// ForTeachers is how many of these only teachers may make: a flood of what learners do doesn't end a class.
	ForTeachers = 20_000
	// MaxAge is how long a class lasts at most.
	MaxAge = 12 * time.Hour
	// MaxLearnersOfOne is how many learners of a class may join from one address: a school may have only one, and
	// somebody who joins again and again there doesn't shut out everybody else.
	MaxLearnersOfOne = 1500
	// MaxPages is how many pages a class may have connected.
	MaxPages = 4000
	// MaxClasses is how many classes a hall has, and MaxClassesOfOne how many may be begun from one address.
	MaxClasses      = 200
	MaxClassesOfOne = 10
	// KeepIdle is how long a class without any page is kept, and one that is over.
	KeepIdle = time.Hour
	// LetGo is how long a class without a page at this server is kept if other servers have pages of it.
	LetGo = time.Minute
	// openFor is how long it may take to find out from other servers whether there is a class.
	openFor = 10 * time.Second
)
