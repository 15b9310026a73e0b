package zoo

import (
	"net"
	"net/http"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/static/join"
)

// showRedis answers /zoo/redis.
func (s *Pages) showRedis(w http.ResponseWriter, r *http.Request) {
	p := page.RedisProps{Frame: s.cfg.Site.Frame(r, "zoo")}
	if s.cfg.Redis != "" {
		p.Address = reachable(s.cfg.Redis, r.Host)
		p.Ways = redisWays(p.Address)
	}
	s.cfg.Site.Render(w, r, http.StatusOK, page.Redis(p))
}

// redisWays returns the ways to take a lock from a terminal. The only part from a request is the address, which
// reachable has checked.
func redisWays(addr string) []page.Way {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil
	}
	fill := strings.NewReplacer("HOST", host, "PORT", port)
	return []page.Way{
		{Name: "redis-cli", Needs: "redis-tools", By: true, Text: fill.Replace(join.RedisCLI)},
		{Name: "Python, redis-py", Needs: "python3-redis", Elsewhere: "zoo.elsewhere.redis-py",
			Text: fill.Replace(join.RedisPy)},
	}
}
