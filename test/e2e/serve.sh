#!/bin/sh
# serve.sh - how the servers start: where, for which project, with which token; and what they say when they cannot.
. "$(dirname "$0")/lib.sh"
project
ping='{"jsonrpc":"2.0","id":1,"method":"ping"}'

hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'

# listening: waits until the server in the background has said where.
listening() {
    await [ -s "$out" ]
}
# begin NAME ARGUMENT...: serves until `end`; $url is where.
begin() {
    name=$1
    shift
    rm -f "$out"
    "$conclave" serve --port 0 --json "$@" >"$out" 2>"$err" &
    server=$!
    listening
    url=$(jq -r .mcp "$out")
    [ -n "$url" ]
    ok $? "$name: it listens"
}
end() {
    kill "$server"
    wait "$server"
    ok $? "$name: it ends"
}
# answer PATH CURL-ARGUMENT...: the body in $out, the status in $status
answer() {
    path=$1
    shift
    status=$(curl -s -o "$out" -w '%{http_code}' -H 'Content-Type: application/json' "$@" -H 'Accept: application/json, text/event-stream' --data "$hello" "${url%/mcp}$path")
}

# ---- the library that serves HTTP ----
mkdir "$work/libraries" && : >"$work/libraries/libmicrohttpd.so.12"
LD_LIBRARY_PATH=$work/libraries run "serve without its library" 2 serve --port 0
has "cannot load the HTTP library: " err
has "install libmicrohttpd" err
echo "$ping" | LD_LIBRARY_PATH=$work/libraries "$conclave" mcp >"$out" 2>"$err"
ok $? "mcp does not need it"

# ---- the project ----
mkdir "$work/empty" && echo text >"$work/file"
for command in mcp serve; do
    for root in "$work/nothing" "$work/file"; do
        run "$command --root ${root##*/}" 2 $command --root "$root" </dev/null
        has "'$root' is not a folder" err
    done
    CONCLAVE_ROOT=$work/nothing run "$command, CONCLAVE_ROOT" 2 $command </dev/null
done
echo "$ping" | "$conclave" mcp --root "$work/empty" >"$out" 2>"$err"
ok $? "mcp in a folder without a project"
name="mcp in a folder without a project"
is '.result == {}'
has "'$work/empty' is not a project: it has no .conclave; go to the project's folder or name it with --root DIR; 'conclave init' begins a new one" err
begin "serve in a folder without a project" --root "$work/empty"
has "'$work/empty' is not a project: it has no .conclave; go to the project's folder or name it with --root DIR; 'conclave init' begins a new one" err
end
echo "$ping" | "$conclave" mcp >"$out" 2>"$err"
name="mcp in a project"
silent err

# ---- the token and the path ----
begin "a token" --token secret
silent err
answer /mcp
[ "$status" -eq 401 ]
ok $? "no token: 401"
has "a token is needed: send the header"
answer /mcp -H 'Authorization: Basic secret'
has "a token is needed: send the header"
answer /mcp -H 'Authorization: Bearer wrong'
[ "$status" -eq 401 ]
ok $? "a wrong token: 401"
has "the token is wrong"
answer /mcp -H 'Authorization: Bearer secret'
is '.result.serverInfo.name == "conclave"'
name="with a slash behind the path"
answer /mcp/ -H 'Authorization: Bearer secret'
is '.result.serverInfo.name == "conclave"'
answer /mcp// -H 'Authorization: Bearer secret'
[ "$status" -eq 404 ]
ok $? "another path: 404"
has "nothing is served at this path"
end

# ---- what is not a token ----
for token in '' ' ' '   ' "$(printf '\t')" '
' ' secret' 'secret ' "$(printf 'se\tcret')" "$(printf 'a\001')" "$(printf '\303\251t\303\251')" "$(printf '\302\240')"; do
    run "--token '$token'" 2 serve --port 0 --token "$token" </dev/null
    has "a token has letters, digits and visible ASCII signs, without blanks" err
    has "--token: " err
    [ -n "$token" ] || continue
    CONCLAVE_TOKEN=$token run "CONCLAVE_TOKEN '$token'" 2 serve --port 0 </dev/null
    has "CONCLAVE_TOKEN: " err
done
CONCLAVE_TOKEN='  ' run "a token that others could guess" 2 serve --port 0 --address 0.0.0.0 </dev/null
has "byte 1 of the token is white space" err

# ---- the address ----
# Whatever is printed leads there; names of others do not.
for address in 127.0.0.1 127.0.0.2 127.1 localhost LOCALHOST ::1 '[::1]' 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1 0.0.0.0 ::; do
    begin "--address $address" --address "$address" --token secret
    answer /mcp -H 'Authorization: Bearer secret'
    is '.result.serverInfo.name == "conclave"'
    end
done
for address in 127.0.0.2 ::1 "$(hostname)"; do
    begin "--address $address without a token" --address "$address"
    answer /mcp
    is '.result.serverInfo.name == "conclave"'
    for host in evil.example.com "localhost.evil.example.com" "198.51.100.1"; do
        answer /mcp -H "Host: $host"
        [ "$status" -eq 403 ]
        ok $? "$name: a page that calls it $host is refused"
    done
    end
done
run "an address of another machine" 2 serve --port 0 --address 198.51.100.1 --token secret </dev/null
has "give an address of this machine" err
begin "all addresses" --address 0.0.0.0 --token secret
is '.mcp | startswith("http://127.0.0.1:")'
answer /mcp -H 'Authorization: Bearer secret'
is '.result.serverInfo.name == "conclave"'
end
rm -f "$out"
"$conclave" serve --port 0 --address 0.0.0.0 --token secret >"$out" 2>"$err" &
server=$!
listening
has "Conclave listens on all addresses; from here: http://127.0.0.1:"
ok "$([ "$(wc -L <"$out")" -le 80 ]; echo $?)" "$name: on lines of a terminal"
end

# ---- nobody listens ----
echo "$ping" | "$conclave" mcp >&- 2>"$err"
[ $? -eq 2 ]
ok $? "mcp without a standard output: exit status 2"
has "cannot write to standard output" err
finish
