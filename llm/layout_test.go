package llm

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLayoutOfAFileIsSeenAtItsBeginning(t *testing.T) {
	large := `"text":"` + strings.Repeat("x", 1<<20) + `",`
	for file, want := range map[string]Layout{
		"":                                  TranscriptLayout,
		"a word":                            TranscriptLayout,
		"[":                                 TranscriptLayout,
		`[{"role":"user"}]`:                 TranscriptLayout,
		`{"messages":[]}`:                   TranscriptLayout,
		`{"title":"x","mapping":{}}`:        ChatGPTLayout,
		"\xEF\xBB\xBF [ {\"mapping\" : {}}": ChatGPTLayout,
		`[{` + large + `"x":[{"role":1}],"mapping":{}}]`: ChatGPTLayout,
		`{"conversations":[]}`:                           ChatGPTLayout,
		`{"conversations":3,"role":"user"}`:              TranscriptLayout,
		`{"role":"user","mapping":{}}`:                   TranscriptLayout,
		`{"winnow":1,"sessions":[]}`:                     ArchiveLayout,
		"SQLite format 3\x00 and more":                   SQLiteLayout,
		"SQLite format 4":                                TranscriptLayout,
		"PK\x03\x04":                                     ExportLayout,
		`{"title":"cut`:                                  TranscriptLayout,
	} {
		if got, err := LayoutOf(strings.NewReader(file)); got != want || err != nil {
			t.Errorf("%.40q is taken for %d, %v; want %d", file, got, err, want)
		}
	}
	broken := errors.New("the disk broke")
	if _, err := LayoutOf(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// zipped is an archive of files, each named before its text.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// saidIn is a file with one conversation of one message, which shows an image.
func saidIn(id, pointer string) string {
	return `[{"conversation_id":"` + id + `","mapping":{"q":{"message":{"id":"q","create_time":1,"author":{"role":"user"},"content":{"content_type":"multimodal_text","parts":["look",{"content_type":"image_asset_pointer","asset_pointer":"` + pointer + `"}]}}}}}]`
}

func TestExportIsReadFromItsArchive(t *testing.T) {
	file := zipped(t, "user.json", `{}`, "chat.html", "<html>",
		"x/conversations-001.json", saidIn("second", "sediment://file_00ab"),
		"x/conversations-000.json", saidIn("first", "file-service://file-Cat"),
		"x/file-Cat-7c1a.gif", onePoint, "x/user-1/file_00ab-7c1a.dat", "no image",
		"x/shared_conversations.json", `[{"id":"s"}]`)
	x, err := OpenExport(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"first", "second"} {
		talk, err := x.Next()
		if err != nil || talk.Index != i || talk.ID != want || len(talk.Messages) != 1 {
			t.Fatalf("conversation %d is %+v, %v", i, talk, err)
		}
		p := talk.Messages[0].Parts[0]
		if is := string(p.Data) == onePoint && p.MediaType == "image/gif" && p.Name == "file-Cat-7c1a.gif"; is != (i == 0) || is == (len(talk.Odd) == 1) {
			t.Errorf("conversation %d shows %+v, %+v", i, p, talk.Odd)
		}
	}
	if _, err := x.Next(); err != io.EOF {
		t.Errorf("behind the last conversation: %v", err)
	}
}

func TestArchiveThatIsNoExportSaysSo(t *testing.T) {
	whole := zipped(t, "conversations.json", saidIn("c", ""))
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"another archive": {zipped(t, "a.txt", "words"), ErrNoExport},
		"a cut one":       {whole[:20], ErrBrokenArchive},
		"its last byte":   {whole[:len(whole)-1], ErrBrokenArchive},
		"its beginning":   {[]byte("PK\x03\x04"), ErrBrokenArchive},
	} {
		if _, err := OpenExport(bytes.NewReader(c.file), int64(len(c.file))); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestExportWithADamagedFileReadsTheOthers flips a byte of the first file's compressed text.
func TestExportWithADamagedFileReadsTheOthers(t *testing.T) {
	long := strings.Replace(saidIn("a", ""), "look", strings.Repeat("a long text ", 4000), 1)
	file := zipped(t, "conversations-000.json", long, "conversations-001.json", saidIn("b", ""))
	at := bytes.Index(file, []byte("conversations-000.json")) + 40
	file[at] ^= 0xFF
	x, err := OpenExport(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var read, broken []string
	for {
		talk, err := x.Next()
		if err != nil {
			break
		}
		if talk.Broken != nil {
			broken = append(broken, talk.Broken.What)
			continue
		}
		read = append(read, talk.ID)
	}
	if len(broken) == 0 || !strings.Contains(broken[len(broken)-1], "conversations-000.json cannot be read: ") || len(read) == 0 || read[len(read)-1] != "b" {
		t.Errorf("read %q, broken %q", read, broken)
	}
}

// FuzzExport reads any bytes as an archive, and finds out what they are. Both must end.
func FuzzExport(f *testing.F) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"conversations.json", "conversations-001.json", "file-a.gif"} {
		if part, err := w.Create(name); err == nil {
			io.WriteString(part, saidIn("c", "file-service://file-a"))
		}
	}
	w.Close()
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-10])
	f.Add([]byte("SQLite format 3\x00"))
	f.Add([]byte(`[{"a":{"b":[`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := LayoutOf(bytes.NewReader(file)); err != nil {
			t.Fatalf("%q has no layout: %v", file, err)
		}
		x, err := OpenExport(bytes.NewReader(file), int64(len(file)))
		for i := 0; err == nil; i++ {
			var talk Talk
			if talk, err = x.Next(); err == nil && talk.Index != i {
				t.Fatalf("conversation %d of %q has index %d", i, file, talk.Index)
			}
			if i > 1<<20 {
				t.Fatalf("%q has no end", file)
			}
		}
	})
}

// manyTimes is a stream that says one text again and again.
type manyTimes struct {
	text string
	at   int
	left int
}

func (m *manyTimes) Read(b []byte) (int, error) {
	if m.left <= 0 {
		return 0, io.EOF
	}
	n := copy(b, m.text[m.at:])
	m.at = (m.at + n) % len(m.text)
	m.left -= n
	return n, nil
}

func TestTooLargeValueEndsAnImport(t *testing.T) {
	stream := func(before string) io.Reader {
		return io.MultiReader(strings.NewReader(before), &manyTimes{text: strings.Repeat("x", 1<<16), left: largestValue + 1<<20}, strings.NewReader(`"}]`))
	}
	if _, err := ReadChatGPT(stream(`[{"mapping":{},"title":"`), nil).Next(); !errors.Is(err, ErrLargeImport) {
		t.Errorf("a conversation of more than %d bytes: %v", largestValue, err)
	}
	if _, err := ReadTranscript(stream(`[{"role":"user","content":"`)).Next(); !errors.Is(err, ErrLargeImport) {
		t.Errorf("a message of more than %d bytes: %v", largestValue, err)
	}
	if _, err := ReadTranscript(stream(`{"role":"user","content":"`)).Next(); !errors.Is(err, ErrLargeImport) {
		t.Errorf("a line of more than %d bytes: %v", largestValue, err)
	}
	told, err := ReadTranscript(stream(`[{"role":"user","content":"`)).Large().Next()
	if err != nil || len(told.Message.Content) < largestValue {
		t.Errorf("with Large: %d bytes, %v", len(told.Message.Content), err)
	}
	// What does not tell the layout within the limit is read as messages, which then says so.
	if layout, err := LayoutOf(stream(`{"a":"`)); layout != TranscriptLayout || err != nil {
		t.Errorf("the layout is %v, %v", layout, err)
	}
}

// What an archive says of the sizes of its files is not trusted.
func TestTooLargeExportEndsAnImport(t *testing.T) {
	file := zipped(t, "conversations.json", "["+strings.Repeat(" ", 100_000)+"]")
	x, err := OpenExport(bytes.NewReader(file), int64(len(file)))
	if err != nil || x.TooLarge() {
		t.Fatalf("an archive of 100 kB: %v, too large: %v", err, x.TooLarge())
	}
	x.left = 1000
	if _, err := x.Next(); !errors.Is(err, ErrLargeImport) {
		t.Errorf("more than may be read: %v", err)
	}
	x.talks[0].UncompressedSize64 = LargestImport + 1
	if !x.TooLarge() || x.Large().TooLarge() {
		t.Error("an archive that says that it is too large is not, or is with Large")
	}
}
