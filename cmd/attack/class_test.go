package attack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"nhooyr.io/websocket"
)

// floodClasses begins classes, has two thousand learners join them again and again with new keys, every other one
// without reading, and says as much as a page may: names, answers, leads and ends that aren't theirs, and guesses of
// secrets.
func floodClasses(ctx context.Context, a *attacker, t *tally) {
	begun := make([]string, handful)
	var once [handful]sync.Once
	says := []string{
		`{"do":"rename","name":"%d"}`, `{"do":"answer","number":1,"choice":%d}`, `{"do":"end","number":%d}`,
		`{"do":"lead","place":{"page":"/lab","query":"at=%d"}}`, `{"do":"tell","deed":{"task":"%d","count":1}}`, `%d`,
	}
	start(a.size(2000), 200, time.Second, func(i int) {
		at := i % handful
		once[at].Do(func() { begun[at] = a.beginClass(ctx, t.from(at)) })
		c, err := t.from(i).socketAt(ctx, a.pages, "/class/"+begun[at]+"/ws")
		if err == nil {
			defer c.CloseNow()
			err = c.Write(ctx, websocket.MessageText,
				fmt.Appendf(nil, `{"do":"join","key":"%020d","follows":true}`, time.Now().UnixNano()))
		}
		if !t.count(err) {
			return
		}
		if i%2 == 0 {
			go drain(ctx, c, kept)
		}
		for n := 0; n < 100 && err == nil; n++ {
			time.Sleep(100 * time.Millisecond)
			err = c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, says[n%len(says)], n%2))
		}
		_ = c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"do":"hello","secret":"guess-%d"}`, i))
	})
}

// beginClass returns the name of a new class.
func (a *attacker) beginClass(ctx context.Context, who from) string {
	form := url.Values{"page": {"/lab"}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.pages+"/class/begin", strings.NewReader(form))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Origin", a.pages)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := who.browser().Do(r)
	if err != nil {
		return "none"
	}
	_ = answer.Body.Close()
	name, _, _ := strings.Cut(strings.TrimPrefix(answer.Header.Get("Location"), "/class/"), "#")
	return name
}
