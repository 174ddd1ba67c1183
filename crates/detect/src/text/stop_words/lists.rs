//! The lists, one language each.

use super::Language;

/// The stop words of a language, in lower case, with white space between them.
pub(super) const fn of(language: Language) -> &'static str {
    match language {
        Language::English => ENGLISH,
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
        Language::Italian => ITALIAN,
        Language::Portuguese => PORTUGUESE,
        Language::Dutch => DUTCH,
        Language::Swedish => SWEDISH,
        Language::Danish => DANISH,
        Language::Norwegian => NORWEGIAN,
        Language::Finnish => FINNISH,
        Language::Polish => POLISH,
        Language::Czech => CZECH,
        Language::Russian => RUSSIAN,
        Language::Greek => GREEK,
        Language::Romanian => ROMANIAN,
        Language::Hungarian => HUNGARIAN,
        Language::Turkish => TURKISH,
    }
}

const ENGLISH: &str = "
    a an the
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
    this that these those here there
    who whom whose which what when where why how
    and or but nor if then than so because while although though unless until as
    of in on at to from by for with without about into onto over under above below between through during before
    after against among within upon up down out off
    am is are was were be been being do does did done doing have has had having
    will would shall should can could may might must
    not no yes all any both each every few more most much many some such same other another own only just also too
    very again ever never still yet
    s t d ll re ve m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn
";

const GERMAN: &str = "
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
    ich mich mir du dich dir er ihn ihm sie es wir uns ihr euch ihnen man sich
    mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere
    dieser diese dieses diesen diesem jener jene jede jeder jedes alle allem allen aller alles
    wer wen wem was welche welcher welches wann wo warum wie
    und oder aber denn sondern doch dass daß ob wenn weil als damit da so dann also auch nur noch schon sehr mehr
    in im ins an am auf aus bei beim bis durch für gegen hinter mit nach neben ohne seit über um unter von vom vor
    zu zum zur zwischen während wegen
    bin bist ist sind seid war waren wäre gewesen habe hast hat haben hatte hatten werde wird werden wurde wurden
    worden kann können konnte muss müssen soll sollen will wollen darf dürfen mag
    nicht nichts ja nein hier dort nun jetzt wieder immer etwas einige viele andere anderen selbst
";

const FRENCH: &str = "
    le la les l un une des du de d au aux
    je j me m moi tu te t toi il elle on nous vous ils elles se s soi lui leur eux y en
    mon ma mes ton ta tes son sa ses notre nos votre vos leurs
    ce c cet cette ces ceci cela ça celui celle ceux celles
    qui que qu quoi dont où quand comment pourquoi quel quelle quels quelles
    et ou mais donc or ni car si comme lorsque puisque parce ainsi alors aussi
    à dans par pour sur sous avec sans entre vers chez depuis pendant avant après contre jusque jusqu
    être suis es est sommes êtes sont étais était étaient été sera serait seront soit soient fut
    avoir ai as a avons avez ont avais avait avaient eu aura aurait
    fait faire peut peuvent doit
    ne n pas plus moins très trop bien tout toute tous toutes même mêmes autre autres encore déjà ici là non oui
";

const SPANISH: &str = "
    el la los las lo un una unos unas al del
    yo me mí tú te ti él ella ello nosotros nos vosotros os ellos ellas usted ustedes se sí le les
    mi mis tu tus su sus nuestro nuestra nuestros nuestras
    este esta esto estos estas ese esa eso esos esas aquel aquella aquellos aquellas
    que qué quien quién quienes cual cuál cuales cuando cuándo donde dónde como cómo cuyo
    y e o u pero ni sino si porque pues aunque mientras así entonces también
    de a en con por para sin sobre entre hasta desde hacia contra durante ante bajo según tras
    ser soy es somos son era eran fue fueron sea sean sido será sería
    estar estoy está estamos están estaba estaban
    haber he ha hemos han había habían hay hubo
    tener tiene tienen tenía puede pueden hacer hace
    no más menos muy mucho mucha muchos muchas poco todo toda todos todas otro otra otros otras mismo misma cada
    ya aún aquí allí
";

const ITALIAN: &str = "
    il lo la i gli le l un uno una
    io mi me tu ti te lui lei egli ella noi ci voi vi loro essi esse si sé ne
    mio mia miei mie tuo tua suo sua suoi sue nostro nostra nostri nostre vostro vostra
    questo questa questi queste quello quella quelli quelle quel quei quest quell ciò
    che chi cui quale quali quando dove come perché quanto
    e ed o ma né se anche però quindi mentre così poi
    di d a ad da in con su per tra fra senza sotto sopra dopo prima durante contro verso
    del dello della dei degli delle dell al allo alla ai agli alle all dal dallo dalla dai dagli dalle dall
    nel nello nella nei negli nelle nell sul sullo sulla sui sugli sulle sull col
    essere sono sei è siamo siete era erano fu furono sia siano stato stata stati state sarà sarebbe
    avere ho hai ha abbiamo avete hanno aveva avevano può possono
    non più meno molto molti tutto tutta tutti tutte altro altra altri altre stesso stessa ogni già ancora sempre
    solo qui c
";

const PORTUGUESE: &str = "
    o a os as um uma uns umas
    eu me mim tu te ti ele ela nós nos vós vos eles elas você vocês se si lhe lhes
    meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas
    este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas
    que quem qual quais quando onde como porque porquê quanto cujo cuja
    e ou mas nem se pois embora enquanto assim então também
    de em por para com sem sobre entre até desde contra durante após ante sob
    do da dos das no na nos nas num numa ao à aos às pelo pela pelos pelas dele dela deles delas neste nesta desse
    dessa deste desta
    ser sou é somos são era eram foi foram seja sejam sido será seria
    estar estou está estamos estão estava estavam
    ter tem têm tinha tinham há havia haver pode podem
    não mais menos muito muita muitos muitas pouco todo toda todos todas tudo outro outra outros outras mesmo mesma
    cada já ainda aqui só
";

const DUTCH: &str = "
    de het een t n
    ik me mij je jij jou u hij hem ze zij haar het we wij ons jullie hun hen men zich
    mijn jouw uw zijn onze
    dit dat deze die hier daar er
    wie wat welke wanneer waar waarom hoe
    en of maar want dus als dan toen omdat terwijl hoewel zodat
    van in op aan uit bij met zonder voor na naar door over onder tussen tegen tot om te per sinds tijdens binnen
    buiten vanaf volgens
    ben bent is was waren geweest wordt worden werd werden heb hebt heeft hebben had hadden zal zullen zou zouden
    kan kunnen kon konden mag moet moeten wil willen
    niet geen ja nee ook nog al alle alles wel toch zo zeer meer meest veel andere ander zelf nu weer altijd iets
    niets iemand elk elke
";

const SWEDISH: &str = "
    en ett den det de
    jag mig du dig han honom hon henne vi oss ni er dem man sig
    min mitt mina din ditt dina sin sitt sina hans hennes dess vår vårt våra deras
    denna detta dessa här där
    vem vad vilken vilket vilka när var varför hur som
    och eller men för så att om då än därför eftersom medan samt
    i på av till från med utan hos vid efter under över mellan mot genom före innan åt ur kring inom bland
    är vara var varit blir bli blev blivit har ha hade haft ska skall skulle kan kunna kunde måste vill ville får
    fick
    inte icke ej ja nej också bara även mycket mer mest många alla allt all andra annan något någon några varje
    ingen inget inga sådan samma själv nu redan här
";

const DANISH: &str = "
    en et den det de
    jeg mig du dig han ham hun hende vi os i jer dem man sig
    min mit mine din dit dine sin sit sine hans hendes dens dets vores deres
    denne dette disse her der
    hvem hvad hvilken hvilket hvilke hvornår hvor hvorfor hvordan som
    og eller men for så at om da end fordi mens samt når hvis
    på af til fra med uden hos ved efter under over mellem mod gennem før ad ud op ned ind inden blandt
    er være var været bliver blive blev blevet har have havde haft skal skulle kan kunne må måtte vil ville
    ikke ja nej også kun bare meget mere mest mange alle alt al andre anden andet noget nogen nogle hver ingen
    intet sådan samme selv nu
";

const NORWEGIAN: &str = "
    en ei et ein eit den det de dei
    jeg eg meg du deg han ham hun ho henne vi oss dere de dykk dem seg man
    min mi mitt mine din ditt dine sin si sitt sine hans hennes hennar dens dets vår vårt våre deres deira
    denne dette disse desse her der
    hvem hva kven kva hvilken hvilket hvilke når hvor kor hvorfor kvifor hvordan korleis som
    og eller men for så at om da enn fordi mens samt hvis dersom
    i på av til fra frå med uten utan hos ved etter under over mellom mot gjennom før ut opp ned inn innen blant
    er være vere var vært vore blir bli ble vart blitt har ha hadde hatt skal skulle kan kunne må måtte vil ville
    ikke ikkje ja nei også bare berre veldig mer meir mest mange alle alt all andre annen annet noe noko noen nokon
    hver kvar ingen ingenting slik samme selv nå no
";

const FINNISH: &str = "
    minä minun minut minua minulla minulle sinä sinun sinut sinua sinulla hän hänen hänet häntä hänellä hänelle
    me meidän meitä meillä meille te teidän teitä he heidän heitä heillä heille
    se sen sitä siinä siitä siihen sillä sille siltä ne niiden niitä niissä niistä niihin
    tämä tämän tätä tässä tästä tähän tällä nämä näiden näitä tuo tuon tuota nuo
    joka jonka jota jossa josta johon jolla jolle jotka joiden joita joissa joista
    kuka kenen mikä minkä mitä missä mistä mihin mitkä milloin miksi miten kuinka
    ja tai sekä eli mutta vaan että jos kun koska kuin vaikka jotta niin myös
    ei en et emme ette eivät älä
    olen olet on olemme olette ovat olla oli olin olivat ollut olleet olisi olisivat ole
    voi voivat voidaan voisi pitää tulee
    kanssa ilman mukaan ennen jälkeen välillä yli alle kautta vielä vain jo nyt sitten kaikki kaikkien muut muu
    hyvin enemmän itse aina
";

const POLISH: &str = "
    ja mnie mi mną ty ciebie cię ci tobą on jego go jemu mu nim ona jej ją nią ono my nas nam nami wy was wam oni
    one ich im nimi się siebie sobie sobą
    mój moja moje mojego twój twoja twoje swój swoja swoje swojej swoich nasz nasza nasze wasz
    ten ta to tego tej temu tę tym tą te tych tymi tamten tam tu tutaj
    kto kogo komu co czego czemu czym który która które którego której którzy których którym gdzie kiedy dlaczego
    jak jaki jaka jakie
    i a oraz lub albo ale lecz jednak że żeby aby gdy jeśli jeżeli bo ponieważ więc niż czy też także również
    w we na z ze do od ode o u po za przed przez przy pod nad między dla bez ku podczas według
    jest są być był była było byli były będzie będą byłby jestem jesteś mam ma mają miał może mogą można
    nie tak już jeszcze tylko bardzo bardziej wszystko wszystkie wszystkich inne inny sam każdy żaden
";

const CZECH: &str = "
    já mě mne mi mnou ty tě tebe ti tobě on jeho ho jej jemu mu něj němu jím ona její ji jí ni ono my nás nám námi
    vy vás vám vámi oni ony je jich jim jimi nich se si sebe sobě
    můj moje moji tvůj tvoje svůj svá své svého svou svých náš naše naší váš vaše
    ten ta to toho té tomu tu tom tím ty těch těm těmi tento tato toto této tohoto tyto těchto tam zde
    kdo koho co čeho čemu čím který která které kterého kterou kteří kterých kterým jenž kde kdy proč jak jaký
    a i nebo či ale však že aby když pokud jestli protože tedy než také též ani
    v ve na z ze do od o u po za před přes při pod nad mezi pro bez k ke s podle během
    jsem jsi je jsme jste jsou být byl byla bylo byli byly bude budou by bych byste mám má mají měl může mohou lze
    ne není ano už již ještě jen jenom velmi více všechno vše všech všichni jiný sám každý tak
";

const RUSSIAN: &str = "
    я меня мне мной ты тебя тебе тобой он его ему им нём нем него она её ее ей ею неё нее ней оно мы нас нам нами
    вы вас вам вами они их ими них ним себя себе собой
    мой моя моё мое мои твой свой своя своё свое свои своего своей своих наш наша наше наши ваш ваша
    этот эта это эти этого этой этому этом этих тот та то те того той тому том тех тут там здесь
    кто кого кому что чего чему чем который которая которое которые которого которой которых где куда когда
    почему зачем как какой какая
    и а но или да ни же бы ли если чтобы потому так также тоже хотя пока
    в во на с со из изо от до к ко у о об обо по за для без при под над перед между через про после против около
    был была было были быть есть будет будут нет не может можно надо
    уже ещё еще только лишь очень более все всё всех всего весь вся сам сама сами другой другие каждый вот ну
";

const GREEK: &str = "
    ο η το οι τα του της των τον την τη στο στη στην στον στους στις στα ένας μια μία ένα
    εγώ με μου μας εσύ σε σου σας αυτός αυτή αυτό αυτοί αυτές αυτά αυτού αυτής αυτών αυτόν αυτήν τους τις
    εμείς εσείς εκείνος εκείνη εκείνο
    ποιος ποια ποιο ποιοι τι που πού όπου πότε όταν γιατί πώς πως όπως οποίος οποία οποίο οποίοι οποίες
    και κι ή είτε αλλά όμως αν εάν ότι να θα για διότι επειδή ενώ ώστε ούτε μήπως άρα
    σε από με χωρίς προς κατά μετά παρά αντί μέχρι έως πριν υπό ως μεταξύ απ στ
    είμαι είσαι είναι είμαστε ήταν ήμουν έχω έχει έχουν έχουμε είχε είχαν πρέπει μπορεί μπορούν
    δεν δε μη μην όχι ναι πολύ πιο περισσότερο όλα όλοι όλες όλη άλλο άλλη άλλοι άλλα κάθε κάποιος μόνο ακόμα ακόμη
    ήδη εδώ εκεί τώρα
";

const ROMANIAN: &str = "
    un o unui unei unor al a ai ale cel cea cei cele celor lui
    eu mă mi mie tu te ți ţi ție el ea îl îi i noi ne ni voi vă vi ei ele le lor se își îşi și sine
    meu mea mei mele tău ta său sa săi sale nostru noastră noștri voastră
    acest această acesta aceasta acestui acestei acești aceşti aceste acestor acel acea acela aceea aici acolo
    cine ce care căror cărui cărei când unde cum cât câți
    şi sau dar iar ori nici că să dacă deși fiindcă pentru astfel deci
    de la în din pe cu fără sub peste între prin spre până după înainte către despre asupra ca
    sunt ești este e suntem sunteți era erau fi fost fie va vor ar aș am ai are avem aveți au avea avut poate pot
    trebuie
    nu da mai foarte mult multe mulți tot toată toate toți alt altă alte alți doar numai chiar încă deja fiecare
    într dintr printr s n l
";

const HUNGARIAN: &str = "
    a az egy
    én engem nekem te téged neked ő őt neki mi minket nekünk ti titeket nektek ők őket nekik ön önök maga
    ez ezt ezek ezen ennek ebben erre ezzel az azt azok azon annak abban arra azzal itt ott ilyen olyan
    ki kit mi mit mely melyek amely amelyek amelyet aki akik akit ami amit hol ahol mikor amikor miért hogyan
    hogy és s is vagy de hanem ha mert mint mivel bár tehát pedig sem se akkor így úgy
    által alatt alá előtt után között közé fölött mellett mögött nélkül szerint miatt felé ellen során át
    vagyok vagy van vagyunk vannak volt voltam voltak lesz lesznek lenne legyen lenni lehet kell tud volna
    nem ne nincs igen már még csak nagyon több minden mind más mások egyik másik maga saját újra most ma
    meg el fel le ki be össze vissza
";

const TURKISH: &str = "
    bir bu şu o bunu şunu onu bunun şunun onun buna ona bunlar şunlar onlar bunları onları onların burada orada
    ben beni bana benim bende sen seni sana senin biz bizi bize bizim siz sizi size sizin kendi kendisi
    kim kimi kime ne neden niçin nasıl nerede hangi kaç
    ve veya ya da de ile i̇le ki ama fakat ancak çünkü eğer ise i̇se hem yani yoksa
    için i̇çin gibi kadar göre sonra önce beri doğru karşı üzere üzerinde altında arasında içinde i̇çinde dolayı
    rağmen
    var yok değil olan olarak olduğu olduğunu olur oldu olmak olması oluyor idi iken dir dır edilen eden
    etti ettiği mi mı mu mü
    daha en çok az her hiç bazı tüm bütün diğer başka aynı böyle şöyle öyle şey bile hep şimdi zaten sadece artık
";
