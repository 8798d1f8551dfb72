# shellcheck shell=bash
# How tests of ireconcile and of kapply prove whose member an object is.

# proof KEY PRIMARY UID ITEM [INSTANCE]: as protocol.md defines it
proof() {
	local key=$1 uid=$3 version=v1 text='' part code

	shift
	[ $# -le 3 ] || version=v2
	for part; do
		text+=${#part}:$part
	done
	code=$(printf %s "kpipe.dev/proof $version $text" |
		openssl dgst -sha256 -hmac "$key" -binary | base64)
	code=${code%=}
	code=${code//+/-}
	printf %s "$version $uid ${code//\//_}"
}
