package broken

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// computed is the output of compare --faults --json for all locks; see make faults.
//
//go:embed table.json
var computed []byte

// Table returns the table of all locks, which was computed ahead.
func Table() ([]Row, error) {
	var rows []Row
	if err := json.Unmarshal(computed, &rows); err != nil {
		return nil, fmt.Errorf("the table of broken promises: %w", err)
	}
	return rows, nil
}
