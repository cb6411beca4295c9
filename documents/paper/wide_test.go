package paper

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Only what stands between tags gets the other font: a text for a picture is within one.
func TestWidened(t *testing.T) {
	t.Parallel()
	builtIn, err := face()
	require.NoError(t, err)
	page := `<style></style><body><img alt="北京 > 公司"><p>北京 a > b 公</p></body>`
	require.Equal(t, `<style>`+"\n"+wideFace+`</style><body><img alt="北京 > 公司"><p>`+opened+`北京`+closed+` a > b `+opened+`公`+closed+`</p></body>`,
		string(widened([]byte(page), builtIn)))
	plain := `<style></style><body><p>Åsa</p></body>`
	require.Equal(t, plain, string(widened([]byte(plain), builtIn)))
}
