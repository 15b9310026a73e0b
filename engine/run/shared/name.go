package shared

import (
	"fmt"
	"regexp"
)

// named allows what is a token of a subject and a key of a bucket, and looks the same in both.
var named = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// CheckName returns an error that says what a name may be: letters, digits, - and _, at most NameBytes of them.
func CheckName(name string) error {
	if len(name) > NameBytes || !named.MatchString(name) {
		return fmt.Errorf("the name %.80q isn't made of 1 to %d letters, digits, - and _", name, NameBytes)
	}
	return nil
}
