package run

import (
	"math"
	"strconv"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
)

// firstNumber is the number from which znodes count what is created below them: at most the last one, 2³¹ − 1. Nobody
// waits until so many have been created.
type firstNumber struct{ optional }

func (firstNumber) read(s *Scenario, texts []string) error {
	n, err := strconv.ParseUint(texts[0], 10, 31)
	if err != nil {
		return sentence.Error("bad.value.first-number", sentence.Number(math.MaxInt32))
	}
	s.FirstNumber = int32(n)
	return nil
}

func (firstNumber) write(s Scenario) []string {
	if s.FirstNumber == 0 {
		return nil
	}
	return []string{strconv.Itoa(int(s.FirstNumber))}
}

func (firstNumber) json(s Scenario) any {
	if s.FirstNumber == 0 {
		return nil
	}
	return s.FirstNumber
}

func (firstNumber) judge(s Scenario, _ recipe.Recipe) error {
	if s.FirstNumber < 0 {
		return sentence.Error("bad.first-number", sentence.Number(int(s.FirstNumber)))
	}
	return nil
}
