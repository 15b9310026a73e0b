package attack

import (
	"context"
	"fmt"
	"sync"
	"time"

	"nhooyr.io/websocket"
)

// floodClasses begins classes, and has two thousand learners join them and the polite class again and again with new
// keys, every other one without reading. They say as much as a page may: names with markup, answers, leads, questions
// and ends that aren't theirs, what they have said before, and guesses of secrets.
func floodClasses(ctx context.Context, a *attacker, t *tally) {
	begun := make([]string, handful)
	var once [handful]sync.Once
	says := []string{
		`{"do":"rename","name":"<img src=x onerror=alert(%d)>"}`, `{"do":"answer","number":1,"choice":%d}`, `{"do":"end","number":%d}`,
		`{"do":"lead","place":{"page":"/lab","query":"at=%d"}}`, `{"do":"reveal","number":%d}`,
		`{"do":"pose","question":{"text":"<b>","words":["a","b"],"choices":2,"right":%d}}`, `{"do":"tell","deed":{"task":"%d","count":1}}`, `%d`,
	}
	start(a.size(2000), 200, time.Second, func(i int) {
		at := i % handful
		once[at].Do(func() {
			if begun[at] = a.class; at > 0 {
				begun[at], _, _ = beginClass(ctx, a.pages, t.from(at)) // without a class, it knocks at none
			}
		})
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
