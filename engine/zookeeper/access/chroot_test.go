package access_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// TestPaths compares paths below a chroot with the servers' paths. A path that isn't below it has an empty inner path.
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
