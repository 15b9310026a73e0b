package access

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Names is what an operator's names for settings such as tls-ca and auth-file begin with, for errors that say which to
// give. Empty it stands for the flags of viz-server, --zk-.
type Names string

func (n Names) of(setting string) sentence.Arg {
	return sentence.Text(string(cmp.Or(n, "--zk-")) + setting)
}
