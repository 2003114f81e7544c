// Checks proofs with code that is not ours: Go's own, of its log of checksums (golang.org/x/mod/sumdb).
//
//	foreign-verifier check < statements.json     exit 0 if all of them hold
//	foreign-verifier bundle FILE KEY             what "renderctl prove" wrote
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Data  []byte   `json:"data"`
	Index int64    `json:"index"`
	Size  int64    `json:"size"`
	Root  []byte   `json:"root"`
	Proof [][]byte `json:"proof"`
}

type consistency struct {
	OldSize int64    `json:"old_size"`
	OldRoot []byte   `json:"old_root"`
	Size    int64    `json:"size"`
	Root    []byte   `json:"root"`
	Proof   [][]byte `json:"proof"`
}

type statements struct {
	Key           string        `json:"key"`
	Note          string        `json:"note"`
	Inclusions    []inclusion   `json:"inclusions"`
	Consistencies []consistency `json:"consistencies"`
}

type record struct {
	Topic        string   `json:"topic"`
	Partition    int      `json:"partition"`
	Offset       int64    `json:"offset"`
	AppendTimeMs int64    `json:"append_time_ms"`
	Key          *[]byte  `json:"key"`
	Value        *[]byte  `json:"value"`
	Proof        [][]byte `json:"proof"`
}

type bundle struct {
	Format     string `json:"format"`
	Checkpoint string `json:"checkpoint"`
	Entry      struct {
		Index int64    `json:"index"`
		Text  string   `json:"text"`
		Proof [][]byte `json:"proof"`
	} `json:"entry"`
	Records []record `json:"records"`
}

func hashOf(bytes []byte) (hash tlog.Hash, err error) {
	if len(bytes) != tlog.HashSize {
		return hash, errors.New("a hash of another length")
	}
	copy(hash[:], bytes)
	return hash, nil
}

func hashesOf(all [][]byte) ([]tlog.Hash, error) {
	hashes := []tlog.Hash{}
	for _, bytes := range all {
		hash, err := hashOf(bytes)
		if err != nil {
			return nil, err
		}
		hashes = append(hashes, hash)
	}
	return hashes, nil
}

func checkInclusion(one inclusion) error {
	root, err := hashOf(one.Root)
	if err != nil {
		return err
	}
	proof, err := hashesOf(one.Proof)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, one.Size, root, one.Index, tlog.RecordHash(one.Data))
}

func checkConsistency(one consistency) error {
	root, err := hashOf(one.Root)
	if err != nil {
		return err
	}
	oldRoot, err := hashOf(one.OldRoot)
	if err != nil {
		return err
	}
	proof, err := hashesOf(one.Proof)
	if err != nil {
		return err
	}
	return tlog.CheckTree(proof, one.Size, root, one.OldSize, oldRoot)
}

type checkpoint struct {
	origin string
	size   int64
	root   []byte
}

// openCheckpoint accepts a note that the key has signed, under the name of the log.
func openCheckpoint(text string, key string) (*checkpoint, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return nil, err
	}
	lines := strings.SplitN(opened.Text, "\n", 4)
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return nil, errors.New("the note is no checkpoint of that log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return nil, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil {
		return nil, err
	}
	return &checkpoint{lines[0], size, root}, nil
}

func leafData(one record) []byte {
	data := make([]byte, 82)
	data[0] = 1
	binary.BigEndian.PutUint64(data[2:], uint64(one.Offset))
	binary.BigEndian.PutUint64(data[10:], uint64(one.AppendTimeMs))
	if one.Key != nil {
		data[1]++
		hash := sha256.Sum256(*one.Key)
		copy(data[18:], hash[:])
	}
	if one.Value != nil {
		data[1] += 2
		hash := sha256.Sum256(*one.Value)
		copy(data[50:], hash[:])
	}
	return data
}

func checkBundle(path string, key string) (string, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var all bundle
	if err := json.Unmarshal(bytes, &all); err != nil {
		return "", err
	}
	if all.Format != "rendering proof 1" {
		return "", errors.New("the file is of another format")
	}
	signed, err := openCheckpoint(all.Checkpoint, key)
	if err != nil {
		return "", err
	}
	entry := all.Entry
	if err := checkInclusion(inclusion{[]byte(entry.Text), entry.Index, signed.size, signed.root, entry.Proof}); err != nil {
		return "", fmt.Errorf("the entry: %w", err)
	}
	for _, one := range all.Records {
		size, root := int64(0), []byte(nil)
		for _, line := range strings.Split(entry.Text, "\n")[2:] {
			words := strings.Split(line, " ")
			if len(words) == 4 && words[0] == one.Topic && words[1] == strconv.Itoa(one.Partition) {
				size, _ = strconv.ParseInt(words[2], 10, 64)
				root, _ = base64.StdEncoding.DecodeString(words[3])
			}
		}
		if err := checkInclusion(inclusion{leafData(one), one.Offset, size, root, one.Proof}); err != nil {
			return "", fmt.Errorf("%s/%d/%d: %w", one.Topic, one.Partition, one.Offset, err)
		}
	}
	return fmt.Sprintf("%d records are in %s", len(all.Records), signed.origin), nil
}

func checkStatements(input io.Reader) (string, error) {
	var all statements
	if err := json.NewDecoder(input).Decode(&all); err != nil {
		return "", err
	}
	if all.Note != "" {
		if _, err := openCheckpoint(all.Note, all.Key); err != nil {
			return "", err
		}
	}
	for i, one := range all.Inclusions {
		if err := checkInclusion(one); err != nil {
			return "", fmt.Errorf("inclusion %d: %w", i, err)
		}
	}
	for i, one := range all.Consistencies {
		if err := checkConsistency(one); err != nil {
			return "", fmt.Errorf("consistency %d: %w", i, err)
		}
	}
	return fmt.Sprintf("%d inclusions, %d consistencies", len(all.Inclusions), len(all.Consistencies)), nil
}

func run(args []string) (string, error) {
	switch {
	case len(args) == 1 && args[0] == "check":
		return checkStatements(os.Stdin)
	case len(args) == 3 && args[0] == "bundle":
		return checkBundle(args[1], args[2])
	}
	return "", errors.New("usage: foreign-verifier check | bundle FILE KEY")
}

func main() {
	said, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(said)
}
