package check_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
)

// TestNoLostUpdateClauses: client-1 writes what it computed from version 3, after client-2 has written version 4.
func TestNoLostUpdateClauses(t *testing.T) {
	const read = "9 puts /r/n 3\n1 saw /r/n 3\n"
	judgeClauses(t, promise.NoLostUpdate, onSim, []clause{
		{read + "...\n1 puts /r/n 5",
			[]string{"2 puts /r/n 4", "2 saw /r/n 3; 2 puts /r/n 4", "1 saw /r/other 4; 2 puts /r/n 4",
				"2 puts /r/n 4; 2 saw /r/n 4", "2 begins; 2 puts-in-tx /r/n 4; 2 commits", "2 puts /r/n 4; 2 exited",
				"2 puts /r/n 4; 2 puts /r/n 4", "1 puts /r/n 4; 2 puts /r/n 5; !1 puts /r/n 6",
				"2 begins; 2 puts-in-tx /r/n 4; 2 puts-in-tx /r/n 5; 2 commits; !1 puts /r/n 6",
				"2 puts /r/n 4; 1 holding /r/n; 1 released /r/n"},
			[]string{"", "1 puts /r/n 4", "2 puts /r/n 4; 1 saw /r/n 4", "2 puts /r/other 4", "0 puts /r/n 4",
				"1 begins; 1 puts-in-tx /r/n 4; 1 commits", "2 begins; 2 puts-in-tx /r/n 4",
				"2 begins; 2 puts-in-tx /r/n 4; 2 undoes", "2 puts /r/n 2", "9 puts /r/n 3", "2 loses-row /r/n",
				"2 puts /r/n 4; 2 takes /r/n", "2 saw /r/n 4", "2 replays /r/n 4", "2 writes /r/n", "2 created /r/n"}},
		{"9 puts /r/n 3\n2 puts /r/n 4\n...\n1 puts /r/n 5", []string{"1 saw /r/n 3", "1 saw /r/n 4; 1 saw /r/n 3"},
			[]string{"", "1 saw /r/n 4", "1 counted /r/n 3", "1 published /r/n 3", "2 saw /r/n 3",
				"1 saw /r/n 3; 1 saw /r/n 4"}},
		{read + "2 puts /r/n 4\n...", []string{"1 puts /r/n 5", "1 begins; 1 puts-in-tx /r/n 5; !1 commits"},
			[]string{"3 puts /r/n 5", "1 puts /r/other 5", "1 takes /r/n", "1 begins; 1 puts-in-tx /r/n 5",
				"1 begins; 1 puts-in-tx /r/n 5; 1 undoes", "1 replays /r/n 5", "1 puts /r/n 4", "1 puts /r/n"}},
	})
}
