package page_test

import (
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
)

// TestLang checks that From reverses To.
func TestLang(t *testing.T) {
	for _, c := range []struct {
		lang    page.Lang
		to, got string
	}{
		{"", "/lab", "/lab"},
		{"en", "/lab", "/lab"},
		{"en", "/english", "/english"},
		{"es", "/", "/es/"},
		{"es", "/lab?recipe=a#b", "/es/lab?recipe=a#b"},
		{"zh-TW", "/essays", "/zh-TW/essays"},
	} {
		if got := c.lang.To(c.to); got != c.got || c.lang.From(got) != c.to {
			t.Errorf("%s in %q is %s, which is %s", c.to, c.lang, got, c.lang.From(got))
		}
	}
}
