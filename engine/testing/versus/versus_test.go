package versus

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// echo sends connection 1 what it is told to do; a broken one adds something after "b" once it has been told "a".
type echo struct {
	broken, a bool
	sent      []string
}

func (e *echo) Reset() error {
	e.a, e.sent = false, nil
	return nil
}

func (e *echo) Do(step string) error {
	if step == "fail" {
		return errors.New("no")
	}
	e.sent = append(e.sent, step)
	if e.a = e.a || step == "a"; e.broken && e.a && step == "b" {
		e.sent = append(e.sent, "more")
	}
	return nil
}

func (e *echo) Take(conn int, _ bool) (string, bool, error) {
	if conn != 1 || len(e.sent) == 0 {
		return "", false, nil
	}
	text := e.sent[0]
	e.sent = e.sent[1:]
	return text, true, nil
}

// TestFindsAndShrinks checks that a difference is found where it is, and that only the steps that show it are left.
func TestFindsAndShrinks(t *testing.T) {
	c := Trial[string]{Play: func(script []string) (*Difference, error) {
		return Play(script, &echo{broken: true}, &echo{}, nil)
	}}
	script := strings.Fields("x b y a z x x b x b")
	d, err := c.Play(script)
	const want = "step 8:\n  simulated sends B more\n  real      sends B nothing"
	if err != nil || d == nil || d.String() != want {
		t.Fatalf("%v, %v, want %s", d, err, want)
	}
	small, d, err := c.shrink(script)
	if !slices.Equal(small, []string{"a", "b"}) || d == nil || d.Step != 1 || err != nil {
		t.Errorf("%q is left, %v, %v", small, d, err)
	}
	if got := c.show(small); got != "a\nb" {
		t.Errorf("it is shown as %q", got)
	}
	if small, d, err = c.shrink(script[:4]); d != nil || err != nil || len(small) != 4 {
		t.Errorf("%q shows a difference: %v, %v", small, d, err)
	}
	if _, _, err = c.shrink([]string{"x", "fail"}); err == nil || err.Error() != "fail: no" {
		t.Errorf("the error is %v", err)
	}
}

// TestSettles checks that a script ends when all that the real system sends has arrived.
func TestSettles(t *testing.T) {
	real := &echo{}
	late := func() error {
		real.sent = append(real.sent, "late")
		return nil
	}
	d, err := Play([]string{"x", "y"}, &echo{}, real, late)
	if err != nil || d == nil || d.Step != 1 || d.Real != "sends B late" {
		t.Errorf("%v, %v", d, err)
	}
}
