package class

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Unknown is the right answer's number if nobody has said it.
const Unknown = -1

// Question is one that a teacher asks everybody at once.
type Question struct {
	// ID names a question of a lesson, as its page does: the-herd/1. It is empty for a teacher's own.
	ID string `json:"id,omitempty"`
	// Text and Words are those of a teacher's own question. A lesson's are on every page.
	Text  string   `json:"text,omitempty"`
	Words []string `json:"words,omitempty"`
	// Choices is how many choices there are.
	Choices int `json:"choices"`
	// Right is the number of the right choice, from 0, or Unknown. Only a teacher's page gets it before the answer is
	// revealed.
	Right int `json:"right"`
}

func (q Question) check() error {
	if q.Choices < 2 || q.Choices > MaxChoices || q.Right < Unknown || q.Right >= q.Choices {
		return sentence.Error("bad.class.choices", sentence.Number(MaxChoices))
	}
	if q.ID != "" {
		if len(q.ID) > MaxAnchor || q.Text != "" || q.Words != nil {
			return sentence.Error("bad.class.question", sentence.Number(MaxText), sentence.Number(MaxChoice))
		}
		return nil
	}
	if !isText(q.Text, MaxText) || len(q.Words) != q.Choices ||
		slices.ContainsFunc(q.Words, func(w string) bool { return !isText(w, MaxChoice) }) {
		return sentence.Error("bad.class.question", sentence.Number(MaxText), sentence.Number(MaxChoice))
	}
	return nil
}

// Asked is a question that was asked, with its answers.
type Asked struct {
	Question
	Open     bool // it takes answers
	Revealed bool
	answers  map[int]answer // by learner
}

type answer struct{ choice, changes int }

// Counts returns how many have chosen each choice.
func (a *Asked) Counts() []int {
	counts := make([]int, a.Choices)
	for _, given := range a.answers {
		counts[given.choice]++
	}
	return counts
}

// Answers returns how many have answered.
func (a *Asked) Answers() int { return len(a.answers) }

// By returns the choice of a learner.
func (a *Asked) By(learner int) (choice int, ok bool) {
	given, ok := a.answers[learner]
	return given.choice, ok
}
