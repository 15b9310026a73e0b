package kit_test

import (
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// A client in a queue waits for the one just ahead. Only the digits at the end of a name count, whatever precedes them.
func ExampleJustAhead() {
	names := []string{"b-lock-0000000002", "a-lock-0000000001", "c-lock-0000000000"}
	ahead, err := kit.JustAhead(names, "b-lock-0000000002")
	fmt.Println(ahead, err)
	_, err = kit.JustAhead(names, "d-lock-0000000003")
	fmt.Println(errors.Is(err, kit.ErrGone))
	// Output:
	// a-lock-0000000001 <nil>
	// true
}
