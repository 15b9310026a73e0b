package wire

import (
	"strings"
	"testing"
)

// TestJavaText checks the answers to a sync of the path, from ZooKeeper 3.8.0 on Java 17.
func TestJavaText(t *testing.T) {
	for _, c := range []struct{ sent, back string }{
		{"/é日本", "/é日本"},
		{"/\U0001f600", "/\xed\xa0\xbd\xed\xb8\x80"},
		{"/\xf0\x9f\x98", "/\uFFFD"},
		{"/\xed\xa0\x80", "/\uFFFD"},
		{"/\xed\xa0A", "/\uFFFDA"},
		{"/\xc0\x80", "/\uFFFD\uFFFD"},
		{"/\xe6\x97", "/\uFFFD"},
		{"/\xf4\x90\x80\x80", "/\uFFFD\uFFFD\uFFFD\uFFFD"},
	} {
		if got := Text([]byte(c.sent)); got != c.back {
			t.Errorf("%q becomes %q, not %q", c.sent, got, c.back)
		}
	}
	if got := Text([]byte(strings.Repeat("a", 9))); got != "aaaaaaaaa" {
		t.Errorf("got %q", got)
	}
}
