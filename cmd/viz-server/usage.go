package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// negative reports whether an argument is a negative number or duration, so not a flag.
func negative(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] == '.' || '0' <= arg[1] && arg[1] <= '9')
}

// joinNegative joins values like -1 to the flag before them. The parser would take them for flags.
func joinNegative(args []string) (joined []string) {
	for i, arg := range args {
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		last := len(joined) - 1
		if negative(arg) && last >= 0 && strings.HasPrefix(joined[last], "--") &&
			!strings.Contains(joined[last], "=") {
			joined[last] += "=" + arg
			continue
		}
		joined = append(joined, arg)
	}
	return joined
}

// plainErrors maps the parser's clumsy errors, as regular expressions, to plain sentences.
var plainErrors = []struct{ parser, said string }{
	{`^(--[\w-]+|-\w): expected .* value but got "EOL" .*`, `$1 needs a value after it`},
	{`^(--[\w-]+|-\w): expected .* value but got "(.*)" \(.* flag\).*`,
		`$1 needs a value, and "$2" after it is a flag`},
	{`expected a valid \d+ bit int but got "(.*)"$`, `"$1" is not a whole number in range`},
	{`expected duration but got "(.*)": .*$`, `"$1" is not a duration like 5s`},
	{`bool value must be .* but got "(.*)"$`, `"$1" is neither true nor false`},
	{`^expected "<(.*)>"$`, `a $1 is missing`},
	{`^unexpected argument (.*?)(, did you mean .*)?$`, `"$1" is neither a command nor an argument here$2`},
}

// usageError explains in a sentence why the parser refused the command line.
func usageError(err error) error {
	text := err.Error()
	for _, p := range plainErrors {
		text = regexp.MustCompile(p.parser).ReplaceAllString(text, p.said)
	}
	return fmt.Errorf("%s (viz-server --help explains)", text)
}

// checkEmpty refuses empty flags. If they were ignored, a run meant for a cluster would run on the simulator.
func checkEmpty(command *kong.Context) error {
	for _, p := range command.Path {
		if p.Flag != nil && !p.Resolved && isEmpty(p.Flag.Target) {
			return fmt.Errorf("--%s is empty: is a variable not set? Give it a value, %s, or leave it out",
				p.Flag.Name, p.Flag.FormatPlaceHolder())
		}
	}
	return nil
}

// isEmpty reports whether a flag's value is empty or has an empty element.
func isEmpty(v reflect.Value) bool {
	switch given := reflect.Indirect(v).Interface().(type) {
	case string:
		return given == ""
	case []string:
		return len(given) == 0 || slices.Contains(given, "")
	}
	return false
}
