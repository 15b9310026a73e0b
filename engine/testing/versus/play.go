package versus

import "fmt"

// Conns is the number of connections of a script.
const Conns = 4

// Target is a system that takes steps one by one. What it sends on a connection is taken in order.
type Target[Step any] interface {
	// Reset closes all connections and removes all that scripts leave.
	Reset() error
	// Do executes a step.
	Do(Step) error
	// Take returns the next thing sent on a connection. If more is false it doesn't wait for one that hasn't been sent
	// yet, and reports false if there is none.
	Take(conn int, more bool) (text string, sent bool, err error)
}

// Play plays a script on both, step by step, and returns the first difference, or nil. settle, unless it is nil, waits
// after the last step until the real system has sent everything.
func Play[Step any](script []Step, simulated, real Target[Step], settle func() error) (*Difference, error) {
	if err := simulated.Reset(); err != nil {
		return nil, err
	}
	if err := real.Reset(); err != nil {
		return nil, err
	}
	for i, step := range script {
		for _, t := range []Target[Step]{simulated, real} {
			if err := t.Do(step); err != nil {
				return nil, fmt.Errorf("%v: %w", step, err)
			}
		}
		if settle != nil && i+1 == len(script) {
			if err := settle(); err != nil {
				return nil, err
			}
		}
		for conn := range Conns {
			if d, err := compare(i, conn, simulated, real); d != nil || err != nil {
				return d, err
			}
		}
	}
	return nil, nil
}

// compare takes what either sent on a connection.
func compare[Step any](step, conn int, simulated, real Target[Step]) (*Difference, error) {
	for {
		want, any, err := simulated.Take(conn, false)
		if err != nil {
			return nil, err
		}
		got, sent, err := real.Take(conn, any)
		switch {
		case err != nil:
			return nil, err
		case !any && !sent:
			return nil, nil
		case any != sent || want != got:
			return &Difference{step, told(conn, want, any), told(conn, got, sent)}, nil
		}
	}
}

func told(conn int, text string, any bool) string {
	if !any {
		text = "nothing"
	}
	return fmt.Sprintf("sends %c %s", 'A'+conn, text)
}
