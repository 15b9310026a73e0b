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

// Places in a line are said as one says them aloud.
func ExampleInLine() {
	for _, before := range []int{0, 1, 2, 3, 10, 12, 20, 111} {
		fmt.Println(kit.InLine(before))
	}
	// Output:
	// 1st in line
	// 2nd in line
	// 3rd in line
	// 4th in line
	// 11th in line
	// 13th in line
	// 21st in line
	// 112th in line
}
