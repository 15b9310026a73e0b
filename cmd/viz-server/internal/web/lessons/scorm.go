package lessons

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/front"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static"
)

// A package for an LMS has a manifest and a page, as SCORM 1.2 wants it. The page shows the lesson in a frame from
// this server, so the package needs no other copy of anything, and an LMS shows what the server has today.

// inFrames is what a lesson in a package shows.
const inFrames = "words,steps,play,faults"

// scormFiles are the files of a package beside the manifest, the page first.
var scormFiles = []string{"index.html", "scorm.js", "scorm.css"}

// manifest is imsmanifest.xml: one organization with one item, which is a SCO.
type manifest struct {
	XMLName       xml.Name      `xml:"http://www.imsproject.org/xsd/imscp_rootv1p1p2 manifest"`
	Identifier    string        `xml:"identifier,attr"`
	Version       string        `xml:"version,attr"`
	ADL           string        `xml:"xmlns:adlcp,attr"`
	Schema        string        `xml:"metadata>schema"`
	SchemaVersion string        `xml:"metadata>schemaversion"`
	Organizations organizations `xml:"organizations"`
	Resource      resource      `xml:"resources>resource"`
}

type organizations struct {
	Default      string       `xml:"default,attr"`
	Organization organization `xml:"organization"`
}

type organization struct {
	Identifier string `xml:"identifier,attr"`
	Title      string `xml:"title"`
	Item       item   `xml:"item"`
}

type item struct {
	Identifier string `xml:"identifier,attr"`
	Ref        string `xml:"identifierref,attr"`
	Title      string `xml:"title"`
}

type resource struct {
	Identifier string `xml:"identifier,attr"`
	Type       string `xml:"type,attr"`
	ScormType  string `xml:"adlcp:scormtype,attr"`
	Href       string `xml:"href,attr"`
	Files      []file `xml:"file"`
}

type file struct {
	Href string `xml:"href,attr"`
}

// newManifest returns the manifest of a package with a lesson.
func newManifest(l *lessons.Page) manifest {
	m := manifest{
		Identifier: "zkviz-" + l.Slug + "-" + l.Lang, Version: "1", ADL: "http://www.adlnet.org/xsd/adlcp_rootv1p2",
		Schema: "ADL SCORM", SchemaVersion: "1.2",
		Organizations: organizations{"course", organization{"course", l.Title, item{"lesson", "page", l.Title}}},
		Resource:      resource{Identifier: "page", Type: "webcontent", ScormType: "sco", Href: scormFiles[0]},
	}
	for _, name := range scormFiles {
		m.Resource.Files = append(m.Resource.Files, file{name})
	}
	return m
}

// scorm answers /lessons/SLUG/scorm.zip, if other sites may show lessons at all.
func (s *Pages) scorm(w http.ResponseWriter, r *http.Request) {
	slug, f := r.PathValue("slug"), s.site.CachedFrame(r, "lessons")
	l, ok := s.book.Page(slug, string(f.Lang))
	if !ok || l.Slug != slug || f.Embed == "" {
		s.site.NotFound(w, r)
		return
	}
	at := front.Address(r, s.site.At(site.LanguageOf(r), "/lessons/"+slug))
	at.RawQuery = url.Values{"embed": {inFrames}}.Encode()
	packed, err := pack(r, page.ScormProps{Frame: f, Lesson: l, Address: at.String()})
	if err != nil {
		s.site.Failed(w, r, err)
		return
	}
	w.Header().Set("Content-Disposition", `attachment; filename="zkviz-`+slug+`.zip"`)
	body.New("application/zip", packed, body.Quick).Serve(w, r, body.AskAgain)
}

// pack returns the package. The same lesson at the same address gives the same bytes.
func pack(r *http.Request, p page.ScormProps) ([]byte, error) {
	var out, index bytes.Buffer
	if err := page.Scorm(p).Render(r.Context(), &index); err != nil {
		return nil, err
	}
	text, err := xml.MarshalIndent(newManifest(p.Lesson), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	z := zip.NewWriter(&out)
	put := func(name string, data []byte) error {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	err = put("imsmanifest.xml", append([]byte(xml.Header), text...))
	for _, name := range scormFiles {
		data := index.Bytes()
		if name != scormFiles[0] && err == nil {
			data, err = static.Files.ReadFile(name)
		}
		if err == nil {
			err = put(name, data)
		}
	}
	if err == nil {
		err = z.Close()
	}
	return out.Bytes(), err
}
