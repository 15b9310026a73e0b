package access_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/access"
)

// TestPaths are paths as those below a chroot have them, and as the servers do. Where one isn't below it, it is empty.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ chroot, inner, outer string }{
		{"", "/", "/"}, {"", "/a", "/a"}, {"/app", "/", "/app"}, {"/app", "/a/b", "/app/a/b"},
		{"/app", "", "/app2"}, {"/app", "", "/"}, {"/app", "", "/elsewhere"},
	} {
		d := access.Dialer{Chroot: c.chroot}
		if got, err := d.Inner(c.outer); got != c.inner || (err != nil) != (c.inner == "") {
			t.Errorf("below %q, %s is %q, %v", c.chroot, c.outer, got, err)
		}
		if c.inner == "" {
			continue
		}
		if got, err := d.Outer(c.inner); got != c.outer || err != nil {
			t.Errorf("of %q, %s is %q, %v", c.chroot, c.inner, got, err)
		}
	}
	if _, err := (access.Dialer{Chroot: "/app"}).Outer("a"); err == nil {
		t.Error("a path without a slash has a place")
	}
}
