//! Names of months and zones.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The names of each month: its full forms and abbreviations in about forty languages, in small letters.
const MONTHS: [&str; 12] = [
    "january jan januar jänner jän januari janvier janv enero ene gennaio gen janeiro stycznia styczeń sty leden \
     ledna január januára siječanj siječnja januara ianuarie ian ocak oca января январь янв січня січень януари яну \
     ιανουαρίου ιανουάριος ιαν tammikuu tammikuuta tammikuun janúar jaanuar janvāris janvārī sausio sausis gener \
     januarie јануар јануара студзеня يناير ژانویه ינואר בינואר जनवरी জানুয়ারি জানুয়ারী มกราคม",
    "february feb februar feber februari febr février févr fév febrero febbraio fevereiro fev lutego luty lut únor února \
     február februára veljača veljače februara februarie şubat şub февраля февраль фев февр лютого лютий февруари \
     φεβρουαρίου φεβρουάριος φεβ φεβρ helmikuu helmikuuta helmikuun febrúar veebruar februāris februārī vasario vasaris \
     febrer фебруар фебруара лютага فبراير شباط فوریه פברואר בפברואר फरवरी ফেব্রুয়ারি กุมภาพันธ์",
    "march mar märz mär mrz maart mrt mars marzo março marca marzec březen března marec ožujak ožujka marta martie mart \
     марта март мар березня березень μαρτίου μάρτιος μαρ maaliskuu maaliskuuta maaliskuun märts marts martā kovo kovas \
     març maret mac március márc сакавіка مارس آذار اذار מרץ במרץ मार्च মার্চ มีนาคม",
    "april apr avril avr abril abr aprile kwietnia kwiecień kwi duben dubna apríl apríla travanj travnja aprila aprilie \
     nisan nis апреля апрель апр квітня квітень април απριλίου απρίλιος απρ huhtikuu huhtikuuta huhtikuun aprill aprīlis \
     aprīlī balandžio balandis április ápr красавіка أبريل ابريل نيسان آوریل אפריל באפריל अप्रैल এপ্রিল เมษายน",
    "may mai mei maj maja mayo maggio mag maio květen května máj mája svibanj svibnja mayıs mayis мая май травня \
     травень μαΐου μαίου μάιος μάϊος μαϊ toukokuu toukokuuta toukokuun maí maijs maijā gegužės gegužė maig május \
     траўня мај маја مايو أيار ايار مه מאי במאי मई মে พฤษภาคม",
    "june jun juni juin junio giugno giu junho czerwca czerwiec cze červen června jún júna lipanj lipnja juna iunie iun \
     haziran haz июня июнь июн червня червень юни ιουνίου ιούνιος ιουν kesäkuu kesäkuuta kesäkuun júní juuni jūnijs \
     jūnijā birželio birželis juny június чэрвеня јун јуна يونيو حزيران ژوئن יוני ביוני जून জুন มิถุนายน",
    "july jul juli juillet juil julio luglio lug julho lipca lipiec lip červenec července júl júla srpanj srpnja jula \
     iulie iul temmuz tem июля июль июл липня липень юли ιουλίου ιούλιος ιουλ heinäkuu heinäkuuta heinäkuun júlí juuli \
     jūlijs jūlijā liepos liepa juliol július ліпеня јул јула يوليو تموز ژوئیه יולי ביולי जुलाई জুলাই กรกฎาคม",
    "august aug augustus août aout agosto ago agostu sierpnia sierpień sie srpen srpna augusta kolovoz kolovoza avgusta \
     avgust ağustos ağu августа август авг серпня серпень αυγούστου αύγουστος αυγ elokuu elokuuta elokuun ágúst augusts \
     augustā rugpjūčio rugpjūtis agost augusztus agustus ogos жніўня أغسطس اغسطس آب اوت אוגוסט באוגוסט अगस्त আগস্ট สิงหาคม",
    "september sep sept septembre septiembre settembre set setembro września wrzesień wrz září septembra rujan rujna \
     septembrie eylül eyl сентября сентябрь сен сент вересня вересень септември σεπτεμβρίου σεπτέμβριος σεπ σεπτ syyskuu \
     syyskuuta syyskuun septembris septembrī rugsėjo rugsėjis setembre szeptember szept верасня септембар септембра سبتمبر \
     أيلول ايلول سپتامبر ספטמבר בספטמבר सितंबर সেপ্টেম্বর กันยายน",
    "october oct oktober okt octobre octubre ottobre ott outubro out października październik paź říjen října október \
     októbra oktobra oktobar octombrie ekim eki октября октябрь окт жовтня жовтень октомври οκτωβρίου οκτώβριος οκτ \
     lokakuu lokakuuta lokakuun oktoober oktobris oktobrī spalio spalis кастрычніка октобар октобра أكتوبر اكتوبر \
     اکتبر אוקטובר באוקטובר अक्टूबर অক্টোবর ตุลาคม",
    "november nov novembre noviembre novembro listopada listopad lis novembra studeni studenoga studenog noiembrie kasım \
     kasim kas ноября ноябрь ноя нояб листопада листопад ноември νοεμβρίου νοέμβριος νοε νοεμ marraskuu marraskuuta \
     marraskuun nóvember novembris novembrī lapkričio lapkritis novembar лістапада новембар новембра نوفمبر نوامبر נובמבר \
     בנובמבר नवंबर নভেম্বর พฤศจิกายน",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia grudzień gru prosinec prosince \
     decembra prosinac prosinca decembrie aralık aralik ara декабря декабрь дек грудня грудень декември δεκεμβρίου \
     δεκέμβριος δεκ joulukuu joulukuuta joulukuun desember detsember decembris decembrī gruodžio gruodis desembre \
     desembre decembar снежня децембар децембра des ديسمبر دسامبر דצמבר בדצמבר दिसंबर ডিসেম্বর ธันวาคม",
];

/// Zones that mean one thing, in minutes from UTC.
const ZONES: &str = "z=0 ut=0 utc=0 gmt=0 est=-300 edt=-240 cdt=-300 mst=-420 mdt=-360 pst=-480 pdt=-420 wet=0 cet=60 mez=60 cest=120 mesz=120 eet=120 eest=180 msk=180 jst=540 kst=540 aest=600 aedt=660";

/// The number of a month by its name in small letters.
pub fn month(word: &str) -> Option<u64> {
    static NAMES: OnceLock<HashMap<&str, u64>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let numbered = MONTHS.iter().zip(1..);
        numbered.flat_map(|(names, month)| names.split(' ').map(move |name| (name, month))).collect()
    });
    names.get(word).copied()
}

/// Whether the word, in any case, names a month.
pub fn is_month(word: &str) -> bool {
    month(&word.to_lowercase()).is_some()
}

/// Minutes from UTC of a zone by its name in small letters.
pub fn zone(word: &str) -> Option<i32> {
    ZONES.split(' ').filter_map(|zone| zone.split_once('=')).find(|zone| zone.0 == word)?.1.parse().ok()
}
