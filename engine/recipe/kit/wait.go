package kit

import (
	"errors"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Insist repeats a call as long as its reply is lost, or a database rolls it back for others. Doing it twice must do
// no harm.
func Insist(call func() error) error {
	for {
		if err := call(); !Unknown(err) && !Undone(err) {
			return err
		}
	}
}

// Ensure is like Insist, for a call that reports whether it changed anything. After a lost reply, the call before may
// have made the change.
func Ensure(call func() (bool, error)) (bool, error) {
	for lost := false; ; lost = true {
		did, err := call()
		if !Unknown(err) {
			return did || lost && err == nil, err
		}
	}
}

// List returns the names of dir's children. It asks again as long as the reply is lost.
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

// WaitGone waits until something happens to the znode at path, or for timeout, 0 for as long as it takes. It returns at
// once if the znode is already gone. Callers must look again afterwards.
func WaitGone(c zoo.Client, path string, timeout time.Duration) error {
	// A read with a watch: unlike exists, it leaves no watch on a missing znode.
	_, _, gone, err := c.GetW(path)
	if errors.Is(err, zoo.ErrNoNode) || Unknown(err) {
		return nil
	}
	if err == nil {
		_, err = c.Await(timeout, gone)
	}
	return err
}

// StatOf returns the znode's metadata. It asks again as long as the reply is lost.
func StatOf(c zoo.Client, path string) (zoo.Stat, error) {
	for {
		_, stat, err := c.Get(path)
		if !Unknown(err) {
			return stat, err
		}
	}
}
