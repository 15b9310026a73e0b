package lessons

import (
	"cmp"
	"fmt"
)

// checkPlace returns an error if s neither has a place of its own in the run nor looks back at one.
func (l *Lesson) checkPlace(s *Step) error {
	switch {
	case (s.Until == nil) == (s.Again == ""):
		return fmt.Errorf("a step needs either until or, to look back, again")
	case s.Until == nil && s.Linger != 0 && s.Beside == nil:
		return fmt.Errorf("linger needs an until, or a run beside the one that it looks back at")
	}
	if err := l.checkAgain(s); err != nil {
		return err
	}
	return l.checkLoop(s)
}

// checkAgain returns an error if s looks back, but not at an earlier step with a place of its own.
func (l *Lesson) checkAgain(s *Step) error {
	if s.Again == "" {
		return nil
	}
	switch then := l.stepAt(s.Again); {
	case then < 0 || then >= l.stepAt(s.Anchor):
		return fmt.Errorf("again: step %q must come before this one", s.Again)
	case l.Steps[then].Until == nil:
		return fmt.Errorf("again: step %q looks back itself: name the step that it looks at", s.Again)
	}
	return nil
}

// checkLoop returns an error if s doesn't loop from an earlier step, or from its own beginning, to what it shows.
func (l *Lesson) checkLoop(s *Step) error {
	if s.Loop == "" {
		return nil
	}
	shown := cmp.Or(s.Again, s.Anchor)
	from, to := l.stepAt(s.Loop), l.stepAt(shown)
	switch {
	case from < 0 || from > to:
		return fmt.Errorf("loop: step %q must be %q, whose moment is shown, or one before it", s.Loop, shown)
	case l.Steps[from].Until == nil:
		return fmt.Errorf("loop: step %q looks back itself: name the step that it looks at", s.Loop)
	case s != &l.Steps[len(l.Steps)-1]:
		return fmt.Errorf("loop: only the last step plays over and over")
	case s.Challenge != nil:
		return fmt.Errorf("loop: at a challenge the picture stands still, so that a fault comes when it's meant to")
	}
	return nil
}
