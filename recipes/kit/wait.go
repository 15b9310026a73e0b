package kit

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Insist repeats a call for as long as nobody answers, or a database undoes it for others. Doing it twice must do no
// harm.
func Insist(call func() error) error {
	for {
		if err := call(); !Unknown(err) && !Undone(err) {
			return err
		}
	}
}

// Ensure is Insist for a call that reports whether it was the one that did something. After a lost reply, it may have
// been the call before.
func Ensure(call func() (bool, error)) (bool, error) {
	for lost := false; ; lost = true {
		did, err := call()
		if !Unknown(err) {
			return did || lost && err == nil, err
		}
	}
}

// List is the names of dir's children. It asks again for as long as nobody answers.
func List(c zoo.Client, dir string) ([]string, error) {
	for {
		names, _, err := c.Children(dir)
		if !Unknown(err) {
			return names, err
		}
	}
}

// Ahead lists dir and returns the name just ahead of mine, empty if mine comes first.
func Ahead(c zoo.Client, dir, mine string) (string, error) {
	names, err := List(c, dir)
	if err != nil {
		return "", err
	}
	return JustAhead(names, mine)
}

// WaitGone waits until something happens to the znode at path, or for timeout, 0 for as long as it takes.
// It returns at once if the znode is gone already. Anyone who comes back from it has to look again.
func WaitGone(c zoo.Client, path string, timeout time.Duration) error {
	// A read with a watch: unlike a question for existence, it leaves no watch on what is not there.
	_, _, gone, err := c.GetW(path)
	if errors.Is(err, zoo.ErrNoNode) || Unknown(err) {
		return nil
	}
	if err == nil {
		_, err = c.Await(timeout, gone)
	}
	return err
}

// StatOf is the znode's metadata. It asks again for as long as nobody answers.
func StatOf(c zoo.Client, path string) (zoo.Stat, error) {
	for {
		_, stat, err := c.Get(path)
		if !Unknown(err) {
			return stat, err
		}
	}
}
