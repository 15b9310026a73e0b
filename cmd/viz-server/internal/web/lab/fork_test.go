package lab

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestServeCompared checks that an original log is compared with a scenario's run, and that bad input gets a sentence.
func TestServeCompared(t *testing.T) {
	_, _, get := served(t)
	ask := func(query string) *httptest.ResponseRecorder { return get("/api/fork?" + query) }
	const scenario = "&recipe=predecessor-lock&clients=2&hold=1s&arrival=client-1+at+0s+for+1s" +
		"&arrival=client-2+at+100ms+for+1s"
	for _, c := range []struct {
		query, says string
	}{
		{"seen=lock_1.1.0.0.1000_2.1.100.900.1000" + scenario,
			"Played again, it goes as it was seen: the same clients get it 2 times"},
		{"seen=lock_2.1.0.0.1000_1.1.100.900.1000x" + scenario, "1 session expired while holding it, and here"},
		{"seen=lock" + scenario, "clients got it 0 times, and here 2 times"},
	} {
		w := ask(c.query)
		var said []string
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || len(said) == 0 || !strings.Contains(said[0], c.says) {
			t.Errorf("%s: %d %s", c.query, w.Code, w.Body)
		}
	}
	for query, says := range map[string]string{
		"seen=house" + scenario:                           "The address doesn't describe what was seen as the page does",
		"seen=lock_1.1&recipe=no":                         "no",
		"seen=lock_1.1":                                   "",
		"seen=lock&recipe=predecessor-lock&fault=nothing": "nothing",
	} {
		if w := ask(query); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}
