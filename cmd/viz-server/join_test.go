package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestJoinNews checks for warnings about failed joins and about a lasting lack of a leader, but not about elections.
func TestJoinNews(t *testing.T) {
	const (
		joined  = "INFO joined the ensemble"
		gone    = "; INFO the ensemble's leader is gone: EOF"
		back    = "; INFO the ensemble has a leader again"
		refused = "WARN can't join the ensemble yet: refused; "
		lasts   = "; WARN no leader of the ensemble has been reachable for 15s: nobody leads"
	)
	for name, c := range map[string]struct {
		happens []any // a reason, nil for none, or a duration without news
		says    string
	}{
		"it is joined": {[]any{nil}, joined},
		"refused":      {[]any{"refused", time.Hour, nil}, refused + joined},
		"a leader changes": {[]any{nil, "EOF", time.Second, "nobody leads", leaderTimeout - 2*time.Second, nil, time.Hour},
			joined + gone + back},
		"again":    {[]any{nil, "EOF", nil, "EOF", leaderTimeout - 1, nil}, joined + gone + back + gone + back},
		"it lasts": {[]any{nil, "EOF", "nobody leads", time.Hour, "EOF", time.Hour, nil}, joined + gone + lasts + back},
		"it ends":  {[]any{nil, "EOF"}, joined + gone},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said []string
				n := joinProgress{word: error.Error, report: func(level slog.Level, text, why string) {
					for _, end := range []string{": ", " as an observer", ", and"} {
						text, _, _ = strings.Cut(text, end)
					}
					said = append(said, strings.TrimSuffix(level.String()+" "+text+": "+why, ": "))
				}}
				for _, what := range c.happens {
					switch what := what.(type) {
					case time.Duration:
						time.Sleep(what)
						synctest.Wait()
					case string:
						n.update(errors.New(what))
					case nil:
						n.update(nil)
					}
				}
				n.stop()
				time.Sleep(time.Hour)
				synctest.Wait()
				if got := strings.Join(said, "; "); got != c.says {
					t.Errorf("it says\n%s\nnot\n%s", got, c.says)
				}
			})
		})
	}
}
