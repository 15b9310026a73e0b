package handover

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// The words of lengths of time: the list of locks and the panel use the same.

// Lapse says how long something has lasted by now, in whole seconds: it changes at most once a second.
func Lapse(ms int64) sentence.Sentence {
	const minute, hour, day = 60, 3600, 86_400
	switch s := max(ms, 0) / 1000; {
	case s < minute:
		return sentence.Of("seconds", sentence.Number(s))
	case s < hour:
		return sentence.Of("span.minutes", sentence.Number(s/minute), sentence.Number(s%minute))
	case s < day:
		return sentence.Of("span.hours", sentence.Number(s/hour), sentence.Number(s%hour/minute))
	default:
		return sentence.Of("span.days", sentence.Number(s/day), sentence.Number(s%day/hour))
	}
}

// Took says how long something took that is over.
func Took(ms int64) sentence.Sentence {
	switch ms = max(ms, 0); {
	case ms < 1000:
		return sentence.Of("span.ms", sentence.Number(ms))
	case ms < 60_000:
		return sentence.Of("seconds", sentence.Text(strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64)))
	}
	return Lapse(ms)
}

// Precisely writes a length of time as logs of transactions have it.
func Precisely(ms int64) sentence.Arg { return sentence.Span(time.Duration(ms) * time.Millisecond) }
