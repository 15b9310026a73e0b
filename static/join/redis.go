package join

// Lines that take a lock on a Redis, for HOST and PORT.
const (
	RedisCLI = `redis-cli -h HOST -p PORT
client setname me
set lock me nx px 10000
pttl lock
blpop jobs 30
`
	RedisPy = `python3 - <<'END_OF_FILE'
import redis, time
r = redis.Redis(host="HOST", port=PORT, client_name="redis-py")
for turn in range(3):
    with r.lock("lock", timeout=10):
        print("inside")
        time.sleep(3)
    print("released")
END_OF_FILE
`
)
