package access

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Names is the prefix of the operator's names for settings such as tls-ca and auth-file. Errors use it to name the
// missing setting. If it is empty, it means the flags of viz-server, --zk-.
type Names string

func (n Names) of(setting string) sentence.Arg {
	return sentence.Text(string(cmp.Or(n, "--zk-")) + setting)
}
