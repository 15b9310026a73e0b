package web_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	languages "github.com/zkviz/zkviz/static/strings"
)

// TestAdvised checks that an error by an ACL gets advice and still wraps its code. Other errors stay as they are.
func TestAdvised(t *testing.T) {
	refused := &zoo.Error{Op: "create", Path: "/theirs/run-1", Code: zoo.ErrNoAuth}
	got := web.WithAdvice(refused)
	said := sentence.Voice{Say: languages.English().Say}.Error(got)
	if !errors.Is(got, zoo.ErrNoAuth) || !strings.HasPrefix(said, refused.Error()) ||
		!strings.Contains(said, "--zk-path") {
		t.Error(said)
	}
	other := &zoo.Error{Op: "create", Path: "/a", Code: zoo.ErrNodeExists}
	if got := web.WithAdvice(other); got != error(other) {
		t.Error(got)
	}
}
