// Package stage is the room of the picture: what is drawn where (scene), when (player), and what stands beside it
// as HTML (panes). It is pure, draws into lists of shapes, and knows neither browser nor server: wasm and
// cmd/viz-server call it. For viz-server alone, raster makes a PNG of such a list.
package stage
