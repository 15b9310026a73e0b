package web_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/zoo"
)

// TestAdvised: whom an ACL stops is told what to do, and stays able to ask for the code. Other errors stay as they are.
func TestAdvised(t *testing.T) {
	refused := &zoo.Error{Op: "create", Path: "/theirs/run-1", Code: zoo.ErrNoAuth}
	got := web.Advised(refused)
	if !errors.Is(got, zoo.ErrNoAuth) || !strings.HasPrefix(got.Error(), refused.Error()) || !strings.Contains(got.Error(), "--zk-path") {
		t.Error(got)
	}
	other := &zoo.Error{Op: "create", Path: "/a", Code: zoo.ErrNodeExists}
	if got := web.Advised(other); got != error(other) {
		t.Error(got)
	}
}
