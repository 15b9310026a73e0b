package words_test

import (
	"testing"

	"github.com/zkviz/zkviz/static/strings/words"
)

func TestSay(t *testing.T) {
	w := words.Words{"a": "{0} waits for {1}", "plain": "nothing here", "odd": "{2} {x} {0",
		"many": "{1} has {0} {0|item|items} of {2|it|them}", "broken": "{0|one} {0x|a|b} {} {|a|b} {9|a|b}"}
	for _, c := range []struct {
		key  string
		args []string
		want string
	}{
		{"a", []string{"B", "A"}, "B waits for A"},
		{"a", []string{"{1}", "A"}, "{1} waits for A"}, // an argument is never expanded
		{"a", []string{"B"}, "B waits for {1}"},
		{"plain", []string{"B"}, "nothing here"},
		{"odd", []string{"B"}, "{2} {x} {0"},
		{"many", []string{"1", "A"}, "A has 1 item of {2|it|them}"},
		{"many", []string{"0", "{0|a|b}", "2"}, "{0|a|b} has 0 items of them"},
		{"broken", []string{"1"}, "one {0x|a|b} {} {|a|b} {9|a|b}"},
		{"missing", nil, "missing"},
	} {
		if got := w.Say(c.key, c.args...); got != c.want {
			t.Errorf("Say(%q, %q) = %q, want %q", c.key, c.args, got, c.want)
		}
	}
}
