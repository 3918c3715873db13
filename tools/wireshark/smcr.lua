-- SPDX-License-Identifier: GPL-2.0
--
-- Wireshark and tshark: what their dissector of SMC-R does not show.
--
--	tshark -X lua_script:smcr.lua -O smc,smcx -r FILE
--
--  * Frames of the extension between two hosts with this module, and the
--    agreement on it in Proposal, Accept and Confirm (frames.rst, F-nn).
--  * LLC messages of version 2 from little-endian hosts. Wireshark knows the
--    big-endian form only.
--  * Fields of CLC and LLC messages that Wireshark skips, or reads elsewhere.
--
-- All fields begin with "smcx". The first byte tells a frame from other
-- messages. The file looks at SENDs of reliable connections only, and puts a SEND
-- of several packets together.
--
-- luacheck: std lua52
-- luacheck: globals Proto ProtoField ProtoExpert Field UInt64 ByteArray base
-- luacheck: globals expert register_postdissector set_plugin_info

set_plugin_info({version = "1", author = "SMC-R for Linux"})

local smcx = Proto("smcx", "SMC-R: extension and details")

local FRAME_TYPE, FRAME_WAITED, FRAME_HEAD = 0xfa, 0xfb, 8
local LONG_HEAD, SHORT_HEAD = 32, 23	-- bytes of a record (F-03, F-38)
local PARTS_AT, SHORT = 5, 0x08
local LLC_LEN, LLC_MAX = 44, 8192
local SEND_MAX = 65535		-- bytes of a SEND that is put together
local PSNS = 2 ^ 24
local POSITION_MAX = UInt64(0, 0x40000000)
local OUI = 0x72d49b
local FRAME_LOG_MIN = 9

-- -- fields -----------------------------------------------------------------

local f, fields = {}, {}

-- Defines the field smcx.NAME. MAKE is a constructor of ProtoField.
local function field(name, make, ...)
	f[name] = make("smcx." .. name, ...)
	table.insert(fields, f[name])
end

-- Defines the bits of a byte: {name, bit, label}.
local function bits(prefix, list)
	for _, one in ipairs(list) do
		field(prefix .. "." .. one[1], ProtoField.bool, one[3], 8, nil, one[2])
	end
end

local FLAGS = {
	{"b", 0x80, "B, the writer is blocked"},
	{"w", 0x40, "W, the writer wants an element"},
	{"d", 0x20, "D, the stream ends at the producer position"},
	{"c", 0x10, "C, the connection is closed"},
	{"a", 0x08, "A, abnormal close"},
}
local PARTS = {
	{"offer", 0x80, "Offer", 16},
	{"move", 0x40, "Move", 4},
	{"answer", 0x20, "Answer", 12},
	{"urgent", 0x10, "Urgent", 8},
}
local PARTS_BITS = {{"short", SHORT, "Short head"}, table.unpack(PARTS)}
local CAPS = {
	{"frames", 0x80, "FRAMES"},
	{"elastic", 0x40, "ELASTIC"},
	{"wide", 0x20, "WIDE"},
	{"v6", 0x10, "V6"},
}

-- Types and flags of LLC messages of version 2
local LLC_NAMES = {
	[0x21] = "Confirm Link", [0x22] = "Add Link", [0x24] = "Delete Link",
	[0x25] = "Request Add Link", [0x26] = "Confirm Rkey",
	[0x27] = "Test Link", [0x29] = "Delete Rkey",
}
local REPLY = {"reply", 0x80, "Reply"}
local LLC_BITS = {
	REPLY,
	{"rejected", 0x40, "Rejected"},
	{"all", 0x40, "All links"},
	{"orderly", 0x20, "Orderly"},
	{"negative", 0x20, "Negative"},
	{"retry", 0x10, "Retry"},
}
local LLC_FLAGS = {
	[0x22] = {REPLY, LLC_BITS[2]}, [0x24] = {REPLY, LLC_BITS[3], LLC_BITS[4]},
	[0x25] = {REPLY, LLC_BITS[2]}, [0x26] = {REPLY, LLC_BITS[5], LLC_BITS[6]},
	[0x29] = {REPLY, LLC_BITS[5]}, others = {REPLY},
}

field("frame.type", ProtoField.uint8, "Type", base.HEX, {
	[FRAME_TYPE] = "frame",
	[FRAME_WAITED] = "frame, its sender has waited for credits"})
field("frame.records", ProtoField.uint8, "Number of records")
field("frame.length", ProtoField.uint16, "Length")
field("frame.credits", ProtoField.uint32,
      "SENDs that the receiver may post, in total")
field("frame.rest", ProtoField.bytes, "Bytes behind the records")
field("frame.part", ProtoField.bytes, "Part of a message")

field("record", ProtoField.none, "Record")
field("record.token", ProtoField.uint32, "Alert token", base.HEX)
field("record.flags", ProtoField.uint8, "Flags", base.HEX)
bits("record.flags", FLAGS)
field("record.parts", ProtoField.uint8, "Parts", base.HEX)
bits("record.parts", PARTS_BITS)
field("record.length", ProtoField.uint16, "Length of the data")
field("record.producer", ProtoField.uint64, "Producer position")
field("record.consumer", ProtoField.uint64, "Consumer position")
field("record.window", ProtoField.uint32, "Window")
field("record.limit", ProtoField.uint64, "The peer may send up to position")
field("record.heard", ProtoField.uint32, "Newest offer that has arrived")
field("record.offer", ProtoField.none, "Offer")
field("record.offer.number", ProtoField.uint32, "Number")
field("record.offer.rkey", ProtoField.uint32, "Key of the RMB", base.HEX)
field("record.offer.offset", ProtoField.uint32, "Offset in the RMB")
field("record.offer.size", ProtoField.uint32, "Size of the element")
field("record.move", ProtoField.uint32, "Move: number of the change of links")
field("record.answer", ProtoField.none, "Answer")
field("record.answer.number", ProtoField.uint32,
      "Number of the change of links")
field("record.answer.position", ProtoField.uint64, "Position that has arrived")
field("record.urgent", ProtoField.uint64, "Position behind the urgent byte")
field("record.begin", ProtoField.uint64, "The data begins at position")
field("record.data", ProtoField.bytes, "Data")

field("offer", ProtoField.none, "Offer of the extension")
field("offer.oui", ProtoField.uint24, "Vendor", base.HEX)
field("offer.reserved", ProtoField.uint8, "Reserved", base.HEX)
field("answer", ProtoField.none, "Answer about the extension")
field("ext.version", ProtoField.uint8, "Version", base.DEC, nil, 0xf0)
field("ext.frame_log", ProtoField.uint8, "log2 of the largest received frame",
      base.DEC, nil, 0x0f)
field("ext.caps", ProtoField.uint8, "Capabilities", base.HEX)
bits("ext.caps", CAPS)
field("ext.nonce", ProtoField.uint16, "Nonce", base.HEX)

field("max_conns", ProtoField.uint8, "Most connections of a group")
field("max_links", ProtoField.uint8, "Most links of a group")
field("proposal.net", ProtoField.ipv4, "IPv4 network")
field("proposal.mask", ProtoField.uint8, "Bits of the mask")
field("proposal.prefixes", ProtoField.uint8, "Number of IPv6 prefixes")
field("proposal.prefix", ProtoField.ipv6, "IPv6 prefix")
field("proposal.prefix.length", ProtoField.uint8, "Length of the prefix")

field("llc.type", ProtoField.uint8, "Type", base.HEX, LLC_NAMES)
field("llc.length", ProtoField.uint16, "Length")
field("llc.flags", ProtoField.uint8, "Flags", base.HEX)
bits("llc.flags", LLC_BITS)
field("llc.mac", ProtoField.ether, "MAC")
field("llc.gid", ProtoField.ipv6, "GID")
field("llc.qpn", ProtoField.uint24, "Queue pair", base.HEX)
field("llc.link", ProtoField.uint8, "Link")
field("llc.uid", ProtoField.uint32, "Link user ID", base.HEX)
field("llc.max_links", ProtoField.uint8, "Most links of a group")
field("llc.max_conns", ProtoField.uint8, "Most connections of a group")
field("llc.mtu", ProtoField.uint8, "MTU code", base.DEC, nil, 0x0f)
field("llc.psn", ProtoField.uint24, "Initial packet sequence number", base.HEX)
field("llc.direct", ProtoField.bool, "No gateway on the path", 8, nil, 0x80)
field("llc.target_gid", ProtoField.ipv6, "GID of the new link")
field("llc.reason", ProtoField.uint32, "Reason", base.HEX)
field("llc.count", ProtoField.uint16, "Number of entries")
field("llc.unknown_keys", ProtoField.uint8, "Number of unknown keys")
field("llc.rkey", ProtoField.uint32, "Key of an RMB", base.HEX)
field("llc.addr", ProtoField.uint64, "Address of the RMB", base.HEX)
field("llc.ref_rkey", ProtoField.uint32, "Key of an RMB on this link", base.HEX)
field("llc.new_rkey", ProtoField.uint32, "Its key on the new link", base.HEX)
field("llc.new_addr", ProtoField.uint64, "Its address on the new link",
      base.HEX)
field("llc.test_data", ProtoField.bytes, "User data")
smcx.fields = fields

-- Each expert info has a text that names the rule and the values.
local malformed = ProtoExpert.new("smcx.frame.malformed", "Malformed frame",
				  expert.group.MALFORMED, expert.severity.ERROR)
local wrong = ProtoExpert.new("smcx.record.wrong", "Wrong values of a record",
			      expert.group.PROTOCOL, expert.severity.ERROR)
local odd = ProtoExpert.new("smcx.ext.odd", "Odd offer or answer",
			    expert.group.PROTOCOL, expert.severity.WARN)
smcx.experts = {malformed, wrong, odd}

-- What Wireshark has found out about a packet
local opcode_of = Field.new("infiniband.bth.opcode")
local padding_of = Field.new("infiniband.bth.padcnt")
local psn_of = Field.new("infiniband.bth.psn")
local pair_of = Field.new("infiniband.bth.destqp")
local segment_of = Field.new("tcp.payload")
local llc_of = Field.new("smc.llc_msg")

-- Packets with this opcode carry a SEND of a reliable connection.
local SENDS = {
	[0] = "first", [1] = "middle", [2] = "last", [3] = "last", [4] = "only",
	[5] = "only", [22] = "last", [23] = "only",
}

-- -- reading ----------------------------------------------------------------

-- A reader goes through a message once. SIZE: bytes of the message; fewer may
-- have been captured.
local Reader = {}
Reader.__index = Reader

local function reader(tvb, size)
	return setmetatable({tvb = tvb, size = size, at = 0}, Reader)
end

function Reader:left()
	return self.size - self.at
end

-- Were the next N bytes captured?
function Reader:has(n)
	return self.at + n <= self.tvb:len()
end

-- Takes the next N bytes, which must be there.
function Reader:take(n)
	local range = self.tvb:range(self.at, n)

	self.at = self.at + n
	return range
end

-- Adds the next N bytes to the tree as field NAME. Returns the bytes and the
-- item.
function Reader:add(tree, name, n)
	local range = self:take(n)

	return range, tree:add(f[name], range)
end

local function has_bit(byte, bit)
	return byte % (2 * bit) >= bit
end

-- Adds a byte and its bits. Returns its value.
local function add_bits(r, tree, name, list)
	local range, item = r:add(tree, name, 1)
	local set = {}

	for _, one in ipairs(list) do
		item:add(f[name .. "." .. one[1]], range)
		if has_bit(range:uint(), one[2]) then
			table.insert(set, one[3]:match("^%w+"))
		end
	end
	if #set > 0 then
		item:append_text(" (" .. table.concat(set, ", ") .. ")")
	end
	return range:uint()
end

-- -- frames -----------------------------------------------------------------

local function complain(item, text)
	item:add_proto_expert_info(wrong, text)
end

-- Adds the part offer.
local function add_offer(r, tree)
	local item = tree:add(f["record.offer"], r.tvb:range(r.at, 16))
	local number = r:add(item, "record.offer.number", 4):uint()
	local key = r:add(item, "record.offer.rkey", 4):uint()
	local offset = r:add(item, "record.offer.offset", 4):uint()
	local size = r:add(item, "record.offer.size", 4):uint()

	item:append_text(string.format(" %u: %s", number, size > 0 and
				       size .. " bytes" or "no element"))
	if number == 0 then
		complain(item, "The number of the offer is 0 (F-05)")
	end
	if size == 0 and (key > 0 or offset > 0) then
		complain(item, "No element, but a key or an offset (F-05)")
	end
	if size > 0 and 2 ^ math.floor(math.log(size) / math.log(2) + 0.5) ~= size then
		complain(item, "The size is no power of two (F-05)")
	elseif size > 0 and offset + size > 2 ^ 32 - 1 then
		complain(item, "The element ends beyond 32 bits")
	end
end

local function check_position(item, range, what)
	if range:uint64() > POSITION_MAX then
		complain(item, "The " .. what .. " is more than 2^62 (F-05)")
	end
end

-- Adds a position of N bytes, by default 8. Returns it and the item.
local function add_position(r, tree, name, what, n)
	local range, item = r:add(tree, name, n or 8)

	check_position(item, range, what)
	return range:uint64(), item
end

local function add_move(r, tree, rec)
	local range, item = r:add(tree, "record.move", 4)

	if range:uint() == 0 then
		complain(item, "The number of the move is 0 (F-05)")
	end
	if rec.length > 0 then
		complain(item, "A record with the part move has data (F-05)")
	end
	if has_bit(rec.flags, 0x20) or has_bit(rec.flags, 0x10) then
		complain(item, "A record with the part move has D or C (F-05)")
	end
end

local function add_answer(r, tree)
	local item = tree:add(f["record.answer"], r.tvb:range(r.at, 12))
	local number = r:add(item, "record.answer.number", 4):uint()
	local position = add_position(r, item, "record.answer.position",
				      "position of the answer")

	item:append_text(string.format(" to change %u: arrived at %s", number,
				       tostring(position)))
	if number == 0 then
		complain(item, "The number of the answer is 0 (F-05)")
	end
end

local function add_urgent(r, tree)
	local position, item = add_position(r, tree, "record.urgent",
					    "urgent position")

	if position == UInt64(0) then
		complain(item, "No byte ends at the urgent position 0 (F-05)")
	end
end

local ADD_PART = {offer = add_offer, move = add_move, answer = add_answer,
		  urgent = add_urgent}

-- Adds the fields that each record has. Returns them.
local function add_head(r, tree, short)
	local rec = {}
	local item

	rec.token = r:add(tree, "record.token", 4):uint()
	rec.flags = add_bits(r, tree, "record.flags", FLAGS)
	if rec.flags % 8 > 0 then
		complain(tree, "Unknown flags (F-03)")
	end
	rec.parts = add_bits(r, tree, "record.parts", PARTS_BITS)
	rec.length = r:add(tree, "record.length", 2):uint()
	rec.prod, item = add_position(r, tree, "record.producer",
				      "producer position", short and 5)
	if rec.prod < UInt64(rec.length) then
		complain(item, "The data begins before position 0 (F-05)")
	end
	rec.cons = add_position(r, tree, "record.consumer",
				"consumer position", short and 5)
	local window = r:add(tree, "record.window", short and 3 or 4)
	if rec.cons <= POSITION_MAX then
		tree:add(f["record.limit"], window,
			 rec.cons + UInt64(window:uint())):set_generated()
	end
	r:add(tree, "record.heard", short and 2 or 4)
	return rec
end

-- Returns the bytes of a record's parts.
local function parts_length(parts)
	local n = 0

	for _, one in ipairs(PARTS) do
		if has_bit(parts, one[2]) then
			n = n + one[4]
		end
	end
	return n
end

local function add_data(r, tree, rec)
	local range = r:add(tree, "record.data", rec.length)

	if rec.prod >= UInt64(rec.length) then
		tree:add(f["record.begin"], range,
			 rec.prod - UInt64(rec.length)):set_generated()
	end
end

-- Adds parts and data of a record. Returns why it cannot be read, or nil.
local function add_body(r, tree, rec)
	if rec.parts % SHORT > 0 then
		return string.format("unknown parts 0x%02x (F-03)",
				     rec.parts % SHORT)
	end
	if r:left() < parts_length(rec.parts) then
		return "the message ends in its parts (F-04)"
	end
	for _, one in ipairs(PARTS) do
		if has_bit(rec.parts, one[2]) then
			ADD_PART[one[1]](r, tree, rec)
		end
	end
	if r:left() < rec.length then
		return string.format(
			"it has %u bytes of data, and the message %u (F-04)",
			rec.length, r:left())
	end
	if rec.length > 0 then
		add_data(r, tree, rec)
	end
	return nil
end

-- Adds one record. Returns as add_body() does.
local function add_record(r, tree, number)
	local start, left = r.at, r:left()
	local short = left > PARTS_AT and
		has_bit(r.tvb:range(start + PARTS_AT, 1):uint(), SHORT)
	local head = short and SHORT_HEAD or LONG_HEAD

	if left < head then
		return "the message ends in its head (F-04)"
	end
	local item = tree:add(f.record, r.tvb:range(start, head))
	local rec = add_head(r, item, short)
	item:append_text(string.format(
		" %u: token 0x%08x, producer %s, consumer %s", number, rec.token,
		tostring(rec.prod), tostring(rec.cons)))
	if rec.length > 0 then
		item:append_text(string.format(", %u bytes", rec.length))
	end
	local why = add_body(r, item, rec)
	item:set_len(r.at - start)
	return why
end

-- Adds all records. Returns why they cannot be read, or nil.
local function add_records(r, tree, count)
	for number = 1, count do
		local why = add_record(r, tree, number)

		if why then
			return string.format("Record %u: %s", number, why)
		end
	end
	local left = r:left()
	if left > 0 then
		r:add(tree, "frame.rest", left)
		return string.format("%u bytes behind the records (F-03)", left)
	end
	return nil
end

local function add_header(r, tree)
	local type = r:add(tree, "frame.type", 1):uint()
	local count = r:add(tree, "frame.records", 1):uint()
	local length = r:add(tree, "frame.length", 2):uint()
	local credits = r:add(tree, "frame.credits", 4):uint()

	return count, length, string.format(
		", %u record%s, SENDs up to %u%s", count, count == 1 and "" or "s",
		credits, type == FRAME_WAITED and ", has waited for credits" or "")
end

local function add_frame(tvb, pinfo, root)
	local size = tvb:len()
	local r = reader(tvb, size)
	local tree = root:add(smcx, tvb:range(0, size), "SMC-R frame")
	local bad = {}

	pinfo.cols.protocol = "SMC-R"
	pinfo.cols.info:append("[SMC-R] Frame")
	if size < FRAME_HEAD then
		bad[1] = string.format("%u bytes are no header (F-02)", size)
	else
		local count, length, text = add_header(r, tree)

		tree:append_text(text)
		pinfo.cols.info:append(text)
		if length ~= size then
			bad[1] = string.format(
				"The header says %u bytes, and %u arrived (F-02)",
				length, size)
		end
		bad[#bad + 1] = add_records(r, tree, count)
	end
	for _, why in ipairs(bad) do
		tree:add_proto_expert_info(malformed, why)
	end
	if #bad > 0 then
		pinfo.cols.info:append(" [malformed]")
	end
end

-- -- LLC messages of version 2 ----------------------------------------------

-- Is this the length field of a message of N bytes from a little-endian host?
-- Some peers announce more bytes than they send. So another length counts, too,
-- if it is possible, and impossible in the other order.
local function is_little(high, low, n)
	local big, little = high * 256 + low, low * 256 + high

	if big == n or little == n then
		return big ~= n
	end
	return little >= LLC_LEN and little <= LLC_MAX and
	       (big < LLC_LEN or big > LLC_MAX)
end

local function is_llc_v2(byte)
	return LLC_NAMES[byte] ~= nil
end

-- Adds fields {name, bytes}; a number skips bytes.
local function add_fields(r, tree, list)
	for _, one in ipairs(list) do
		if type(one) == "number" then
			r:take(one)
		else
			r:add(tree, "llc." .. one[1], one[2])
		end
	end
end

-- Adds up to COUNT entries of these fields, as many as the message has.
local function add_list(r, tree, count, length, list)
	for _ = 1, count do
		if r:left() < length then
			return
		end
		add_fields(r, tree, list)
	end
end

local GID = {{"gid", 16}}
local RKEY = {{"rkey", 4}}
local PAIR = {{"ref_rkey", 4}, {"new_rkey", 4}, {"new_addr", 8}}
local OTHER = {{"link", 1}, {"rkey", 4}, {"addr", 8}}

local function add_pairs_v2(r, tree)
	if r:left() < 28 then
		return		-- a refusal
	end
	r:add(tree, "llc.direct", 1)
	r:take(1)
	r:add(tree, "llc.target_gid", 16)
	r:take(8)
	local count = r:take(2)
	tree:add_le(f["llc.count"], count)
	add_list(r, tree, count:le_uint(), 16, PAIR)
end

local function add_count(tail)
	return function(r, tree)
		local count = r:add(tree, "llc.count", 1):uint()

		tail(r, tree, count)
	end
end

-- Bytes behind the flags: fields of all messages, then a function for the rest
local LLC = {
	[0x21] = {{{"mac", 6}, {"gid", 16}, {"qpn", 3}, {"link", 1}, {"uid", 4},
		   {"max_links", 1}, {"max_conns", 1}}},
	[0x22] = {{{"mac", 6}, 2, {"gid", 16}, {"qpn", 3}, {"link", 1}, {"mtu", 1},
		   {"psn", 3}, 8}, add_pairs_v2},
	[0x24] = {{{"link", 1}, {"reason", 4}}},
	[0x25] = {{20}, add_count(function(r, tree, count)
		r:take(3)
		add_list(r, tree, count, 16, GID)
	end)},
	[0x26] = {{}, add_count(function(r, tree, count)
		add_fields(r, tree, {{"rkey", 4}, {"addr", 8}})
		add_list(r, tree, math.min(count, 2), 13, OTHER)
	end)},
	[0x27] = {{{"test_data", 16}}},
	[0x29] = {{}, add_count(function(r, tree, count)
		r:add(tree, "llc.unknown_keys", 1)
		r:take(2)
		add_list(r, tree, count, 4, RKEY)
	end)},
}

-- Adds a message of a little-endian host. Returns whether it is one.
local function add_llc(tvb, pinfo, root)
	local size = tvb:len()

	if size < LLC_LEN or not is_little(tvb:range(1, 1):uint(),
					    tvb:range(2, 1):uint(), size) then
		return false
	end
	local r = reader(tvb, size)
	local kind = tvb:range(0, 1):uint()
	local tree = root:add(smcx, tvb:range(0, size), "SMC-R, " ..
			      LLC_NAMES[kind] .. " of version 2")

	pinfo.cols.protocol = "SMC-Rv2"
	pinfo.cols.info:append("[SMC-Rv2] " .. LLC_NAMES[kind] .. " (v2)")
	r:add(tree, "llc.type", 1)
	tree:add_le(f["llc.length"], r:take(2))
	add_bits(r, tree, "llc.flags", LLC_FLAGS[kind] or LLC_FLAGS.others)
	add_fields(r, tree, LLC[kind][1])
	if LLC[kind][2] then
		LLC[kind][2](r, tree)
	end
	return true
end

-- -- SENDs ------------------------------------------------------------------

local open		-- direction and queue pair -> SEND that has begun
local pieces		-- number of a packet that is no last one -> true
local messages		-- number of a last packet -> bytes of the SEND

function smcx.init()
	open, pieces, messages = {}, {}, {}
end

local function is_frame(byte)
	return byte == FRAME_TYPE or byte == FRAME_WAITED
end

local function is_ours(byte)
	return is_frame(byte) or is_llc_v2(byte)
end

-- Notes a packet of a SEND that has several. Packets may be repeated. A SEND
-- without one of its packets is not put together. Wireshark calls this at its
-- second look at the packets, if it needed no details at the first.
local function note(kind, key, psn, number, bytes)
	local send = open[key]

	if kind == "first" then
		send = is_ours(bytes:get_index(0)) and
		       {first = psn, count = 0, bytes = ByteArray.new()} or nil
		open[key] = send
	end
	if not send then
		return
	end
	local ahead = (psn - send.first) % PSNS
	if ahead == send.count and not send.whole and
	   send.bytes:len() + bytes:len() <= SEND_MAX then
		send.count = send.count + 1
		send.bytes:append(bytes)
		send.whole = kind == "last"
	elseif ahead >= send.count then
		open[key] = nil
		return
	end
	if kind ~= "last" then
		pieces[number] = true
	elseif send.whole then
		messages[number] = send.bytes
	end
end

local function last_of(extract)
	local all = {extract()}

	return #all > 0 and all[#all].value or nil
end

local function add_message(tvb, pinfo, root)
	local byte = tvb:range(0, 1):uint()

	if is_frame(byte) then
		add_frame(tvb, pinfo, root)
		return true
	end
	return is_llc_v2(byte) and add_llc(tvb, pinfo, root)
end

-- A packet of a SEND that has several. Returns whether it is ours.
local function add_packet(kind, tvb, pinfo, root)
	local number = pinfo.number

	if not pieces[number] and not messages[number] then
		local key = string.format("%s %s %x", tostring(pinfo.src),
					  tostring(pinfo.dst), last_of(pair_of))

		note(kind, key, last_of(psn_of), number, tvb:bytes())
	end
	if pieces[number] then
		local tree = root:add(smcx, tvb:range(),
				      "SMC-R, part of a message")

		tree:add(f["frame.part"], tvb:range())
		pinfo.cols.protocol = "SMC-R"
		return true
	end
	return messages[number] ~= nil and
	       add_message(messages[number]:tvb("SMC-R message"), pinfo, root)
end

local function payload(tvb, pinfo, root)
	local kind = SENDS[last_of(opcode_of) or -1]
	local size = tvb:reported_len() - (last_of(padding_of) or 0)

	if not kind or size <= 0 or tvb:len() < size then
		return false
	end
	tvb = tvb:range(0, size):tvb()
	if kind ~= "only" then
		return add_packet(kind, tvb, pinfo, root)
	end
	return add_message(tvb, pinfo, root)
end

smcx:register_heuristic("infiniband.payload", payload)

-- -- CLC messages -----------------------------------------------------------

local EYE_CATCHER = 0xe2d4c3d9
local PROPOSAL, ACCEPT, CONFIRM = 1, 2, 3

local function warn(item, text)
	item:add_proto_expert_info(odd, text)
end

-- Adds version, sizes, capabilities and nonce of an offer or an answer.
local function add_terms(r, tree)
	local range = r:take(1)
	local version = math.floor(range:uint() / 16)
	local log = range:uint() % 16

	tree:add(f["ext.version"], range)
	local item = tree:add(f["ext.frame_log"], range)
	if log > 0 then
		local heads = version >= 2 and 512 or 0
		item:append_text(string.format(" (%u bytes)", 2 ^ log + heads))
	end
	local caps = add_bits(r, tree, "ext.caps", CAPS)
	r:add(tree, "ext.nonce", 2)
	if version == 0 then
		tree:append_text(": none")
		return
	end
	tree:append_text(string.format(": version %u, capabilities 0x%02x", version,
				       caps))
	if caps % 16 > 0 then
		warn(tree, "Unknown capabilities")
	end
	if has_bit(caps, 0x80) and log < FRAME_LOG_MIN then
		warn(tree, "FRAMES, but the frames are too small (F-28)")
	end
	if has_bit(caps, 0x40) and not has_bit(caps, 0x80) then
		warn(tree, "ELASTIC without FRAMES (F-28)")
	end
end

local function add_extension_offer(r, tree)
	local item = tree:add(f.offer, r.tvb:range(r.at, 8))
	local oui = r:add(item, "offer.oui", 3):uint()

	if oui == 0 then
		item:append_text(": none")
	elseif oui ~= OUI then
		item:append_text(": of another vendor")
	else
		add_terms(r, item)
		if r:add(item, "offer.reserved", 1):uint() > 0 then
			warn(item, "The reserved byte is not 0 (F-27)")
		end
	end
end

-- The Proposal of version 1: Wireshark looks for SMC-D behind its end.
local function add_area(r, tree)
	r.at = 38
	r.at = 40 + r:take(2):uint()
	if r:left() < 12 or not r:has(8) then
		return
	end
	r:add(tree, "proposal.net", 4)
	r:add(tree, "proposal.mask", 1)
	r:take(2)
	local count = r:add(tree, "proposal.prefixes", 1):uint()
	for _ = 1, count do
		if r:left() < 17 + 4 or not r:has(17) then
			return
		end
		r:add(tree, "proposal.prefix", 16)
		r:add(tree, "proposal.prefix.length", 1)
	end
end

-- Bytes 50 and 51 say how far behind byte 52 the part of version 2 begins. Without
-- release 1, the bytes of the offer are reserved.
local function add_proposal(r, tree, flags)
	local kind = math.floor(flags / 4) % 4

	if flags < 0x20 then
		return add_area(r, tree)
	end
	if (kind ~= 0 and kind ~= 3) or r.size < 80 or r.tvb:len() < 80 then
		return
	end
	r.at = 50
	local at = 52 + r:take(2):uint()
	if at < 80 or at + 44 > r.size or at + 40 > r.tvb:len() or
	   r.tvb:range(at + 3, 1):uint() < 0x10 then
		return
	end
	add_extension_offer(r, tree)
	r.at = at + 24
	r:add(tree, "max_conns", 1)
	r:add(tree, "max_links", 1)
end

-- The first-contact extension of release 1 has 52 bytes.
local function add_first_contact(r, tree, flags)
	if flags < 0x20 or not has_bit(flags, 0x08) or r.size < 160 or
	   r.tvb:len() < 148 or r.tvb:range(105, 1):uint() % 16 == 0 then
		return
	end
	r.at = 140
	r:add(tree, "max_conns", 1)
	r:add(tree, "max_links", 1)
	r.at = 144
	add_terms(r, tree:add(f.answer, r.tvb:range(144, 4)))
end

local ADD_CLC = {[PROPOSAL] = {"Proposal", add_proposal},
		 [ACCEPT] = {"Accept", add_first_contact},
		 [CONFIRM] = {"Confirm", add_first_contact}}

-- Adds what Wireshark does not show of a TCP segment that begins with a CLC
-- message.
local function add_clc(tvb, root)
	if tvb:len() < 52 or tvb:range(0, 4):uint() ~= EYE_CATCHER then
		return
	end
	local kind = ADD_CLC[tvb:range(4, 1):uint()]
	local size = tvb:range(5, 2):uint()
	if not kind or size < 52 then
		return
	end
	local tree = root:add(smcx, tvb:range(0, math.min(size, tvb:len())),
			      "SMC-R, details of the " .. kind[1])
	kind[2](reader(tvb, size), tree, tvb:range(7, 1):uint())
end

-- -- LLC messages -----------------------------------------------------------

local function llc_tree(tvb, root)
	return root:add(smcx, tvb:range(0, LLC_LEN), "SMC-R, details of the message")
end

local function add_max_conns(r, root)
	if r.tvb:range(35, 1):uint() > 0 then
		r.at = 35
		r:add(llc_tree(r.tvb, root), "llc.max_conns", 1)
	end
end

-- Wireshark reads the pairs two bytes too early.
local function add_pairs(r, root)
	local tree = llc_tree(r.tvb, root)

	r.at = 8
	for _ = 1, math.min(2, r.tvb:range(5, 1):uint()) do
		add_fields(r, tree, PAIR)
	end
end

local function add_test_data(r, root)
	r.at = 4
	r:add(llc_tree(r.tvb, root), "llc.test_data", 16)
end

local ADD_LLC = {[0x01] = add_max_conns, [0x21] = add_max_conns,
		 [0x03] = add_pairs,
		 [0x07] = add_test_data, [0x27] = add_test_data}

local function add_llc_details(found, root)
	local add = ADD_LLC[found.value]
	local tvb = found.source

	if add and tvb and tvb:len() >= found.offset + LLC_LEN then
		add(reader(tvb:range(found.offset, LLC_LEN):tvb(), LLC_LEN), root)
	end
end

-- Wireshark also finds LLC messages in the data of WRITEs.
function smcx.dissector(_, _, root)
	for _, found in ipairs({segment_of()}) do
		add_clc(found.range:tvb(), root)
	end
	if SENDS[last_of(opcode_of) or -1] then
		for _, found in ipairs({llc_of()}) do
			add_llc_details(found, root)
		end
	end
end

register_postdissector(smcx)
