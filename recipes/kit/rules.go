package kit

// The rules of engine/check that recipes promise. They are told there.
const (
	TruthExclusion  = "truth-exclusion"
	BeliefExclusion = "belief-exclusion"
	Fenced          = "fenced"
	Capacity2       = "capacity-2"
	ReadersWriters  = "readers-writers"
	Order           = "order"
	Progress        = "progress"
	OneWakeup       = "one-wakeup"
	Clean           = "clean"
	Once            = "once"
	OneWorker       = "one-worker"
	Barrier         = "barrier"
	Together        = "together"
	Unique          = "unique"
	Current         = "current"
	Agreed          = "agreed"
	EveryMessage    = "every-message"
	VotesKept       = "votes-kept"
	Announced       = "announced"
	NoOvertaking    = "no-overtaking"
	GivesUpInTime   = "gives-up-in-time"
	RevokedInTime   = "revoked-in-time"
)
